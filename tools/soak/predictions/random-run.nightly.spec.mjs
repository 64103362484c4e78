import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Deployment } from '@agent-wallet/standalone/testing';
import { randomInt } from 'node:crypto';
import { NO_LIMITS } from '../../measuring/no-limits.mjs';
import { openLedger } from '../ledger.mjs';
import { randomRun } from './random-run.mjs';

/** A sample of what `npm run soak` does for as long as it is given. */
const OPERATIONS = 150;
/** That of a failure repeats its choices; undefined takes another one each time. */
const SEED = undefined;

let deployment;
let ledger;

beforeAll(async () => {
  deployment = await Deployment.start({ environment: NO_LIMITS });
  ledger = openLedger(deployment);
});

afterAll(async () => {
  await ledger?.close();
  await deployment?.stop();
});

describe('random operations of many agents on many prediction markets', () => {
  it('add up after every step, with kills and failures in between', async () => {
    const seed = SEED ?? randomInt(2 ** 31);
    const { operations, settlements } = await randomRun({ deployment, ledger, seed, operations: OPERATIONS });
    expect(operations).toBeGreaterThanOrEqual(OPERATIONS);
    expect(settlements).toBeGreaterThan(0);
  }, 900_000);
});
