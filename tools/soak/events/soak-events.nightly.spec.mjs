import { canRunKafka, where } from '@agent-wallet/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { randomInt } from 'node:crypto';
import { closeAll } from '../../measuring/closing.mjs';
import { soakEvents } from './soak-events.mjs';

const describeWithKafka = where(describe, { name: 'Kafka (Java 17 and Maven)', isMet: canRunKafka() });

afterAll(closeAll);

describeWithKafka('events under load, while relays, history and the broker die', () => {
  it('are recorded exactly once, in the order of each agent', async () => {
    const options = { kills: 2, outageMs: 2_000, freezeMs: 1_000, ratePerSecond: 100, seed: randomInt(2 ** 31) };
    const { checks, report } = await soakEvents(options);
    const wrong = checks.all.filter(({ ok }) => !ok);
    expect(wrong.length === 0 ? [] : [wrong, report]).toEqual([]);
  });
});
