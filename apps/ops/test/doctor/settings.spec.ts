import { describe, expect, it } from '@jest/globals';
import { BROKER_CHECKS } from '../../src/doctor/broker.js';
import { examine } from '../../src/doctor/examine.js';
import { misspeltCheck } from '../../src/doctor/misspelt.js';
import { NODE_CHECKS } from '../../src/doctor/node.js';

const clock = { nowMs: () => 0 };

describe('the check of the brokers', () => {
  it.each([
    [{ KAFKA_BROKERS: '127.0.0.1:1' }, 'fail', 'ECONNREFUSED'],
    [{ KAFKA_BROKERS: '127.0.0.1:1', KAFKA_SASL_USERNAME: 'us' }, 'fail', 'KAFKA_SASL_PASSWORD is not'],
    [{}, 'skipped', 'not set: KAFKA_BROKERS'],
  ])('judges %j as %s', async (environment, status, found) => {
    const [result] = await examine(BROKER_CHECKS, { environment, clock });
    expect(result).toMatchObject({ status, found: expect.stringContaining(found) });
  });
});

describe('the check of misspelt settings', () => {
  it.each([
    [{ SOLANA_RCP_URL: 'http://node' }, 'warn', 'no setting: SOLANA_RCP_URL (SOLANA_RPC_URL?)'],
    [{ HOME: '/root', SOLANA_WS_URL: 'ws://node' }, 'ok', expect.stringContaining('no misspelt name')],
  ])('judges %j as %s', async (environment, status, found) => {
    const [result] = await examine([misspeltCheck(NODE_CHECKS)], { environment, clock });
    expect(result).toMatchObject({ status, found });
  });
});
