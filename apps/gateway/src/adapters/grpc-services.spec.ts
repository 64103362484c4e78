import { status } from '@grpc/grpc-js';
import { RpcFailure } from '@agent-wallet/platform';
import { describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clients } from './grpc-clients.js';
import { walletService } from './grpc-services.js';

const READ_WITHIN_MS = 10_000;

/** A wallet service that becomes unreachable during the first call, and the deadlines of its calls. */
function lostWallet(afterMs: number) {
  const deadlines: number[] = [];
  const wallet = {
    getBalances: async (_: unknown, { deadlineMs }: { deadlineMs: number }) => {
      deadlines.push(deadlineMs);
      if (deadlines.length > 1) return { address: 'here' };
      await pause(afterMs);
      throw new RpcFailure('getBalances', status.UNAVAILABLE, undefined);
    },
    connected: () => pause(afterMs),
  };
  return { service: walletService({ wallet } as unknown as Clients), deadlines };
}

describe('a read whose connection is lost', () => {
  it('is made again, within the time that the first call had', async () => {
    const { service, deadlines } = lostWallet(300);
    expect(await service.balances('agent')).toEqual({ address: 'here' });
    expect(deadlines).toHaveLength(2);
    expect(deadlines[0]).toBe(READ_WITHIN_MS);
    expect(deadlines[1]).toBeLessThan(READ_WITHIN_MS - 590);
    expect(deadlines[1]).toBeGreaterThan(READ_WITHIN_MS - 5_000);
  });
});
