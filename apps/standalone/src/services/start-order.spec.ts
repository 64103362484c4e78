import { PARTS } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import type { Service } from '../infrastructure/infrastructure.js';
import { startInOrder } from './start-order.js';

/** A start that takes a turn, and records what had started before it and which callees it got. */
function recording(failing?: Service) {
  const started: string[] = [];
  const calls: Record<string, readonly string[]> = {};
  const start = async (service: Service, called: object): Promise<Service> => {
    for (const peer of Object.keys(called)) expect(started).toContain(peer);
    calls[service] = Object.keys(called).sort();
    await new Promise((resolve) => setImmediate(resolve));
    if (service === failing) throw new Error(`${service} failed`);
    started.push(service);
    return service;
  };
  const openWallets = async () => void started.push('wallets');
  return { started, calls, starting: { parts: PARTS, start, openWallets } };
}

describe('the order in which services start', () => {
  it('puts each after its callees, and the operator’s wallets before policy, which needs them', async () => {
    const { started, calls, starting } = recording();
    const services = await startInOrder<Service>(starting);
    expect(Object.entries(services).every(([name, service]) => name === service)).toBe(true);
    expect(calls['gateway']).toEqual(['history', 'policy', 'prediction', 'swap', 'wallet']);
    expect(calls['swap']).toEqual(['policy', 'signer', 'wallet']);
    expect(started.indexOf('wallets')).toBeLessThan(started.indexOf('policy'));
    expect(started.at(-1)).toBe('gateway');
  });

  it.each([
    [['transfers'], ['history', 'policy', 'wallet']],
    [
      ['transfers', 'liquidity'],
      ['history', 'policy', 'swap', 'wallet'],
    ],
    [
      ['transfers', 'predictions'],
      ['history', 'policy', 'prediction', 'wallet'],
    ],
  ] as const)('starts with the parts %j only the services that these need', async (parts, callees) => {
    const { calls, starting } = recording();
    const services = await startInOrder<Service>({ ...starting, parts });
    expect(calls['gateway']).toEqual(callees);
    expect(Object.keys(services).sort()).toEqual(['gateway', 'signer', ...callees].sort());
  });

  it('reports a failure after every other start has ended, so that what has started can be stopped', async () => {
    const { started, starting } = recording('history');
    await expect(startInOrder<Service>(starting)).rejects.toThrow('history failed');
    expect([...started].sort()).toEqual(['policy', 'prediction', 'signer', 'swap', 'wallet', 'wallets']);
  });
});
