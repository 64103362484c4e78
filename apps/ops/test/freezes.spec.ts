import { AppError, newId } from '@agent-wallet/kernel';
import { expect, it } from '@jest/globals';
import { readCommandLine } from '../src/command-line.js';
import { createFreeze } from '../src/commands/freezes.js';
import type { Services } from '../src/services.js';

it('freezes create reports the freeze also when sessions cannot be ended', async () => {
  const agentId = newId();
  const services = {
    policy: { setFreeze: async () => ({ changed: true }) },
    gateway: {
      revokeSessions: async () => {
        throw new AppError('SERVICE_UNAVAILABLE', { message: 'gateway is away' });
      },
    },
  } as unknown as Services;
  const input = readCommandLine(['freezes', 'create', agentId, '--reason', 'stolen'], 'ann').inputOf(2);
  const report = await createFreeze.run(input, services);
  expect(report.lines).toEqual([`agent ${agentId}: frozen. Policy permits nothing more.`]);
  expect(report.failure).toContain('Sessions were not ended (gateway is away)');
  expect(report.json).toMatchObject({ agentId, changed: true, sessionsEnded: null });
});
