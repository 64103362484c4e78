import { silent } from '@agent-wallet/platform/testing';
import type { ChainTime } from '@agent-wallet/solana';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DEPOSIT_TIMING } from '../../domain/deposits/timing.js';
import type { PolledAccount } from '../../ports/watched-account-store.js';
import { pollBalances, type PollOptions } from './poll-balances.js';

const TIME: ChainTime = { slot: 7, epoch: 0, blockTimeMs: 1_000, readAtMs: 1_000 };

let asked: string[];
let seen: ChainTime[];
let clockIsAway: boolean;

beforeEach(() => {
  asked = [];
  seen = [];
  clockIsAway = false;
});

function account(number: number): PolledAccount {
  return { address: `account ${number}`, wallet: 'wallet', balance: 0n, balanceSlot: 1 };
}

/** Polls batches of so many accounts. */
async function look(...sizes: readonly number[]): Promise<void> {
  const batches = new Map(sizes.map((size, i) => [String(i), Array.from({ length: size }, (_, n) => account(n))]));
  const watched = {
    claimBatches: async () => batches,
    noteChanges: async () => {},
    releaseBatch: async () => {},
  };
  const chain: PollOptions['chain'] = {
    accounts: async (addresses) => {
      asked.push(`${addresses.length} accounts`);
      return { slot: 7, accounts: addresses.map(() => null) };
    },
    time: async () => {
      asked.push('the time');
      if (clockIsAway) throw new Error('away');
      return TIME;
    },
  };
  const witness = { saw: (time: ChainTime) => void seen.push(time) };
  await pollBalances({
    chain,
    witness,
    logger: silent,
    timing: DEPOSIT_TIMING,
    callsInFlight: 3,
    checkpoint: async () => {},
    onReadsDue: () => {},
    watched: watched as unknown as PollOptions['watched'],
  });
}

describe('a poll of balances', () => {
  it('tells the time of the chain, which comes in the same call', async () => {
    await look(99);
    expect(asked).toEqual(['99 accounts', 'the time']);
    expect(seen).toEqual([TIME]);
  });

  it.each([[[100]], [[100, 100]], [[]], [[0]]])(
    'does not where that would be a call more: for %j accounts',
    async (sizes) => {
      await look(...sizes);
      expect(asked).not.toContain('the time');
    },
  );

  it('does when one of several calls has room', async () => {
    await look(100, 40);
    expect(seen).toEqual([TIME]);
  });

  it("costs 900 calls a minute for 1 000 wallets of three accounts, at production's timing", async () => {
    await look(...Array.from({ length: 30 }, () => 100));
    expect(asked).toEqual(Array(30).fill('100 accounts'));
    expect((asked.length * 60_000) / DEPOSIT_TIMING.pollIntervalMs).toBe(900);
  });

  it('does not fail when only the time cannot be read', async () => {
    clockIsAway = true;
    await expect(look(1)).resolves.toBeUndefined();
    expect(seen).toEqual([]);
  });
});
