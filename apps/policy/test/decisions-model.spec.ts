import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Application, openApplication } from './model/application.js';
import { explore } from './model/explore.js';

const SEQUENCES = 300;

let app: Application;
beforeAll(async () => {
  app = await openApplication();
});
afterAll(() => app.close());

describe('policy', () => {
  it('decides sequences of changes, tokens, owners, approvals, prices and spending as a model of it does', async () => {
    const seen = await explore(app, { first: 1, count: SEQUENCES });
    console.log(
      [...seen]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([a, n]) => `${n} ${a}`)
        .join('\n'),
    );
    expect(seen.get('ask: granted')).toBeGreaterThan(SEQUENCES / 2);
  });
});
