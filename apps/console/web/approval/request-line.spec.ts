import { describe, expect, it } from '@jest/globals';
import type { Approval } from '../api/records.js';
import { requestLine } from './request-line.js';

const PAYEE = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const BOT = 'bot@example.com';

const subject = (change: Partial<Approval['subject']>): Approval['subject'] => ({
  ...{ transactionId: null, action: null, valueUsd: null, reasons: [], terms: null, changes: [] },
  ...{ note: null, keepSessions: null, delayHours: null, ...change },
});

describe('a request in one line', () => {
  it('says of a payment who asks, how much, its value, to whom and that the recipient is new', () => {
    const terms = { recipient: PAYEE, mint: USDC, amount: '55000000', decimals: '6' };
    const about = subject({ action: 'transfer', valueUsd: 55, reasons: ['new_recipient'], terms });
    expect(requestLine({ kind: 'operation', subject: about }, BOT)).toBe(
      'bot@example.com asks to pay 55 USDC ($55.00) to 8dPB…xRHc (new)',
    );
  });

  it('says of limits what they are and become, and names a list alone', () => {
    const changes = [
      { field: 'dailyLimitInUsd', before: '500', after: '600' },
      { field: 'allowedRecipients', before: [], after: [PAYEE] },
      { field: 'ofLater', before: '1', after: '2' },
    ];
    expect(requestLine({ kind: 'policy', subject: subject({ changes }) }, BOT)).toBe(
      'Limits of bot@example.com: Most in 24 hours $500.00 → $600.00; Recipients; ofLater',
    );
  });

  it('quotes a name that a stranger chose, short and with hidden characters by their codes', () => {
    const line = (name: string) => requestLine({ kind: 'token', subject: subject({ terms: { name } }) }, undefined);
    expect(line('A\u202Ehost')).toBe('Agent asks to open a token for “A⟦U+202E⟧host”');
    expect(line('W'.repeat(300))).toHaveLength('Agent asks to open a token for “”…'.length + 60);
  });

  it('names a kind of a later release as it is', () => {
    expect(requestLine({ kind: 'wish', subject: subject({}) }, BOT)).toBe('wish');
  });
});
