import type { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { approvalDocument } from '../../domain/owners/document.js';
import { type ApprovedIntent, isWithinTerms, transferTerms } from './transfer-terms.js';

const transfer: intentV1.Transfer = {
  ...{ recipient: 'recipient', mint: 'mint', tokenProgram: 'program', amount: 5n, decimals: 6, memo: 'rent' },
  ...{ createsRecipientAccount: true, fee: 2n, feeRecipient: 'operator' },
};
const asked: ApprovedIntent = { operationId: newId(), wallet: 'wallet', transfer };

/** What an owner signs of it. */
const signed = approvalDocument({
  ...{
    id: newId(),
    kind: 'operation',
    terms: transferTerms(transfer, 'lookalike'),
    origin: 'https://owner.example.com',
  },
  ...{ agentId: newId(), ownerId: newId(), policyVersion: 1n, threshold: 1, askedAtMs: 0, expiresAtMs: 1, nonce: 'n' },
  operation: { operationId: asked.operationId, wallet: 'wallet', action: 'transfer', valueUsd: '5', reasons: [] },
});

const fits = (change: Partial<intentV1.Transfer>) =>
  isWithinTerms(signed, { ...asked, transfer: { ...transfer, ...change } });

describe('a signed transfer', () => {
  it('lets exactly itself be done, also for less of what it costs', () => {
    expect(isWithinTerms(signed, asked)).toBe(true);
    expect(fits({ fee: 1n })).toBe(true);
    expect(fits({ fee: undefined, feeRecipient: undefined })).toBe(true);
    expect(fits({ createsRecipientAccount: false })).toBe(true);
  });

  it.each<[string, Partial<intentV1.Transfer>]>([
    ['recipient', { recipient: 'lookalike' }],
    ['mint', { mint: '' }],
    ['amount', { amount: 6n }],
    ['smaller amount', { amount: 4n }],
    ['decimals', { decimals: 9 }],
    ['memo', { memo: '' }],
    ['higher fee', { fee: 3n }],
  ])('does not fit another %s', (_, change) => {
    expect(fits(change)).toBe(false);
  });

  it('does not fit another wallet or operation, nor an account that was not signed', () => {
    expect(isWithinTerms(signed, { ...asked, wallet: 'other' })).toBe(false);
    expect(isWithinTerms(signed, { ...asked, operationId: newId() })).toBe(false);
    const without = { ...transfer, createsRecipientAccount: false };
    const document = Buffer.from(signed.toString().replace('"createsAccount":"true"', '"createsAccount":"false"'));
    expect(isWithinTerms(document, { ...asked, transfer: without })).toBe(true);
    expect(isWithinTerms(document, asked)).toBe(false);
  });
});
