import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Application, openApplication } from './model/application.js';
import { explore } from './model/explore.js';

/** Seeds whose sequences reach every outcome below. The nightly test takes thousands of others. */
const SEEDS = { first: 249, count: 100 };

/** Outcomes without which the run would say little. */
const REACHED = [
  ...['ask: granted', 'ask: APPROVAL_REQUIRED', 'ask: daily_limit', 'ask: frozen', 'ask: new_recipient'],
  ...['ask: grant_limit', 'ask: grant_ended', 'ask: insufficient_scope', 'ask: recipient_not_allowed'],
  ...['repeat: granted', 'repeat: APPROVAL_REJECTED rejected', 'repeat: APPROVAL_REJECTED withdrawn'],
  ...['change: changed', 'change: POLICY_LOOSENING_NEEDS_OWNER', 'propose: pending', 'member: pending'],
  ...['sign: applied', 'sign: approved', 'sign: NOT_FOUND', 'sign: APPROVAL_CLOSED expired'],
  ...['close: withdrawn', 'close: rejected', 'close: NOT_FOUND', 'finish: settled', 'finish: expired'],
];

let app: Application;
beforeAll(async () => {
  app = await openApplication();
});
afterAll(() => app.close());

describe('policy', () => {
  it('decides sequences of changes, tokens, owners, approvals, prices and spending as a model of it does', async () => {
    const seen = await explore(app, SEEDS);
    expect(REACHED.filter((outcome) => !seen.has(outcome))).toEqual([]);
  });
});
