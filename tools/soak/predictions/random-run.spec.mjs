import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Deployment } from '@agent-wallet/standalone';
import { randomInt } from 'node:crypto';
import { NO_LIMITS } from '../../no-limits.mjs';
import { openLedger } from '../ledger.mjs';
import { randomRun } from './random-run.mjs';

const OPERATIONS = 300;
/** That of a failure repeats its choices; undefined takes another one each time. */
const SEED = undefined;

let deployment;
let ledger;

beforeAll(async () => {
  deployment = await Deployment.start({ environment: NO_LIMITS });
  ledger = openLedger(deployment);
}, 120_000);

afterAll(async () => {
  await ledger?.close();
  await deployment?.stop();
}, 60_000);

describe('three hundred random operations of many agents on many prediction markets', () => {
  it('add up after every step, through every kill and every failure', async () => {
    const seed = SEED ?? randomInt(2 ** 31);
    const { operations, settlements } = await randomRun({ deployment, ledger, seed, operations: OPERATIONS });
    expect(operations).toBeGreaterThanOrEqual(OPERATIONS);
    expect(settlements).toBeGreaterThan(0);
  }, 900_000);
});
