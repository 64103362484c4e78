import { testSeed } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Application, openApplication } from './model/application.js';
import { explore } from './model/explore.js';

const SEQUENCES = 10_000;
const IN_A_TEST = 500;

let app: Application;
beforeAll(async () => {
  app = await openApplication();
});
afterAll(() => app.close());

describe('policy', () => {
  const firsts = Array.from({ length: SEQUENCES / IN_A_TEST }, (_, n) => testSeed() + n * IN_A_TEST);

  // A failure names its seed. TEST_SEED=<seed> goes on from there.
  it.each(firsts)(`decides ${IN_A_TEST} sequences from seed %i as a model of it does`, async (first) => {
    const seen = await explore(app, { first, count: IN_A_TEST });
    expect(seen.get('ask: granted')).toBeGreaterThan(IN_A_TEST / 4);
  });
});
