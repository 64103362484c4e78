import type { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { approvalDocument } from '../../domain/owners/document.js';
import { type ApprovableAction, type ApprovedIntent, isWithinTerms, signedTerms } from './operation-terms.js';

const transfer: intentV1.Transfer = {
  recipient: 'recipient',
  mint: 'mint',
  tokenProgram: 'program',
  amount: 5n,
  decimals: 6,
  memo: 'rent',
  createsRecipientAccount: true,
  fee: 2n,
  feeRecipient: 'operator',
};
const swap: intentV1.Swap = {
  inputMint: 'input',
  inputTokenProgram: 'program',
  inputDecimals: 6,
  inputAmount: 1_000n,
  outputMint: 'output',
  outputTokenProgram: 'program',
  quotedOutputAmount: 2_000n,
  minOutputAmount: 1_990n,
  slippageBps: 50,
  platformFeeBps: 10,
  maxNetworkLamports: 5_000n,
  resolvedAddressesHash: Buffer.alloc(32),
  allowUnpricedOutput: false,
};
const NETWORK_LAMPORTS = 5_000_000n;

const operationId = newId();
const asked = (action: ApprovableAction): ApprovedIntent => ({ operationId, wallet: 'wallet', action });

/** What an owner signs of it. */
function documentOf(action: ApprovableAction): Buffer {
  const known = { lookalikeOf: 'lookalike', maxNetworkLamports: NETWORK_LAMPORTS };
  const { action: name, terms } = signedTerms(action, known);
  return approvalDocument({
    id: newId(),
    kind: 'operation',
    terms,
    origin: 'https://owner.example.com',
    agentId: newId(),
    ownerId: newId(),
    policyVersion: 1n,
    threshold: 1,
    askedAtMs: 0,
    expiresAtMs: 1,
    nonce: 'n',
    operation: { operationId, wallet: 'wallet', action: name, valueUsd: '5', reasons: [] },
  });
}

describe('a signed transfer', () => {
  const signed = documentOf({ $case: 'transfer', value: transfer });
  const fits = (change: Partial<intentV1.Transfer>) =>
    isWithinTerms(signed, asked({ $case: 'transfer', value: { ...transfer, ...change } }));

  it('lets exactly itself be done, also for less of what it costs', () => {
    expect(fits({})).toBe(true);
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
    const intent = asked({ $case: 'transfer', value: transfer });
    expect(isWithinTerms(signed, { ...intent, wallet: 'other' })).toBe(false);
    expect(isWithinTerms(signed, { ...intent, operationId: newId() })).toBe(false);
    const without = { ...transfer, createsRecipientAccount: false };
    const document = documentOf({ $case: 'transfer', value: without });
    expect(isWithinTerms(document, asked({ $case: 'transfer', value: without }))).toBe(true);
    expect(isWithinTerms(document, intent)).toBe(false);
  });
});

describe('a signed trade', () => {
  const signed = documentOf({ $case: 'swap', value: swap });
  const fits = (change: Partial<intentV1.Swap>) =>
    isWithinTerms(signed, asked({ $case: 'swap', value: { ...swap, ...change } }));

  it('lets itself be done by another route, for more output and less of what it costs', () => {
    expect(fits({})).toBe(true);
    expect(fits({ minOutputAmount: 1_991n, quotedOutputAmount: 2_001n })).toBe(true);
    expect(
      fits({ slippageBps: 1, platformFeeBps: 0, cosigner: 'maker', resolvedAddressesHash: Buffer.alloc(32, 1) }),
    ).toBe(true);
    expect(fits({ maxNetworkLamports: NETWORK_LAMPORTS })).toBe(true);
  });

  it.each<[string, Partial<intentV1.Swap>]>([
    ['input', { inputMint: 'output' }],
    ['output', { outputMint: 'input' }],
    ['amount', { inputAmount: 1_001n }],
    ['smaller amount', { inputAmount: 999n }],
    ['smaller output', { minOutputAmount: 1_989n }],
    ['higher slippage', { slippageBps: 51 }],
    ['higher network cost', { maxNetworkLamports: NETWORK_LAMPORTS + 1n }],
  ])('does not fit another %s', (_, change) => {
    expect(fits(change)).toBe(false);
  });

  it('does not fit another wallet or operation, nor a transfer', () => {
    const intent = asked({ $case: 'swap', value: swap });
    expect(isWithinTerms(signed, { ...intent, wallet: 'other' })).toBe(false);
    expect(isWithinTerms(signed, { ...intent, operationId: newId() })).toBe(false);
    expect(isWithinTerms(signed, asked({ $case: 'transfer', value: transfer }))).toBe(false);
    expect(isWithinTerms(documentOf({ $case: 'transfer', value: transfer }), intent)).toBe(false);
  });
});
