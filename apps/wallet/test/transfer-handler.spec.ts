import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@agent-wallet/kernel';
import { checkMessage, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana';
import type { TransferHandler } from '../src/application/transfers/transfer-handler.js';
import { FakeChain, transferHandler, transferRequest, type WrittenTransfer } from './fakes.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const agentId = newId();
const wallet = newAddress();

let chain: FakeChain;
let handler: TransferHandler;
let to: string;

beforeEach(async () => {
  chain = new FakeChain();
  handler = await transferHandler(chain, { agentId, wallet });
  to = newAddress();
  chain.fund(wallet, 1_000_000_000n);
});

const prepare = (over: Partial<WrittenTransfer> = {}) =>
  handler.prepare({
    id: newId(),
    agentId,
    request: transferRequest({ to, mint: '', amount: '0.5', memo: '', ...over }),
  });

describe('preparing a transfer', () => {
  it('of the native coin reads the chain once and builds a message that does it', async () => {
    const prepared = await prepare({ memo: 'hello' });
    if (prepared.kind !== 'ready') throw new Error(prepared.kind);
    expect(prepared.plan).toMatchObject({ mint: '', symbol: 'SOL', decimals: 9, amount: 500_000_000n });
    expect(prepared.lastValidBlockHeight).toBe(150);
    checkMessage(prepared.message, prepared.intent, { maxNetworkFeeLamports: 5_000n });
    expect(chain.reads).toBe(1);
  });

  it('builds other bytes for the same transfer in the same blockhash', async () => {
    const recent = await chain.latestBlockhash();
    chain.latestBlockhash = async () => recent;
    const prepared = await Promise.all(Array.from({ length: 20 }, () => prepare()));
    const messages = prepared.map((each) => (each.kind === 'ready' ? Buffer.from(each.message).toString('hex') : ''));
    expect(new Set(messages).size).toBeGreaterThan(15);
  });

  it('of a token makes the account that the recipient lacks, and only that', async () => {
    chain.hold({ owner: wallet, mint: USDC, amount: 64_100_000n });
    const first = await prepare({ mint: 'USDC', amount: '64.1' });
    expect(first).toMatchObject({
      kind: 'ready',
      plan: { mint: USDC, amount: 64_100_000n, tokenProgram: TOKEN_PROGRAM, createsRecipientAccount: true },
      intent: { action: { value: { createsRecipientAccount: true, amount: 64_100_000n } } },
    });
    chain.hold({ owner: to, mint: USDC, amount: 0n });
    expect(await prepare({ mint: USDC, amount: '64.1' })).toMatchObject({ plan: { createsRecipientAccount: false } });
  });

  it('counts the rent of that account', async () => {
    chain.hold({ owner: wallet, mint: USDC, amount: 1_000_000n });
    chain.fund(wallet, 2_039_280n + 5_000n);
    expect(await prepare({ mint: 'USDC', amount: '1' })).toMatchObject({ kind: 'ready' });
    chain.fund(wallet, 2_039_280n + 4_999n);
    const short = await prepare({ mint: 'USDC', amount: '1' });
    expect(short).toMatchObject({
      kind: 'impossible',
      plan: { symbol: 'USDC' },
      error: { code: 'INSUFFICIENT_FUNDS' },
    });
  });

  it('of a token that is not known takes decimals and program from the chain', async () => {
    const mint = chain.makeMint({ decimals: 2, extensions: ['tokenMetadata'] });
    chain.hold({ owner: wallet, mint, amount: 1_000n }, { tokenProgram: TOKEN_2022_PROGRAM });
    const prepared = await prepare({ mint, amount: '1.25' });
    expect(prepared).toMatchObject({
      kind: 'ready',
      plan: { decimals: 2, amount: 125n, tokenProgram: TOKEN_2022_PROGRAM },
    });
    const refused = { kind: 'invalid', error: { code: 'VALIDATION_ERROR', details: [{ field: 'amount' }] } };
    expect(await prepare({ mint, amount: '1.255' })).toMatchObject(refused);
  });
});

describe('a transfer that is refused', () => {
  it('when no mint lives at the address', async () => {
    const unknown = { kind: 'invalid', error: { code: 'UNKNOWN_TOKEN', details: [{ field: 'mint' }] } };
    expect(await prepare({ mint: newAddress() })).toMatchObject(unknown);
  });

  it('when the token is unsafe: history learns how much of what', async () => {
    const mint = chain.makeMint({ decimals: 6, extensions: ['transferHook'] });
    expect(await prepare({ mint, amount: '1' })).toMatchObject({
      kind: 'impossible',
      plan: { amount: 1_000_000n, mint },
      error: { code: 'UNSAFE_TOKEN', data: { mint, reasons: ['transferHook'] } },
    });
  });

  it.each([
    ['a mint or a token account', { owner: TOKEN_PROGRAM, data: new Uint8Array(82) }],
    ['a program', { executable: true }],
    ['a nonce account', { data: new Uint8Array(80) }],
  ])('when the recipient is %s', async (_, over) => {
    chain.fund(to, 1n);
    chain.all.set(to, { ...chain.all.get(to)!, ...over });
    expect(await prepare()).toMatchObject({
      kind: 'invalid',
      error: { code: 'INVALID_ADDRESS', details: [{ field: 'to' }] },
    });
  });

  it("when the recipient's token account has another controller by now", async () => {
    chain.hold({ owner: wallet, mint: USDC, amount: 9n });
    chain.hold({ owner: to, mint: USDC, amount: 0n }, { controller: newAddress() });
    expect(await prepare({ mint: USDC, amount: '0.000001' })).toMatchObject({
      kind: 'invalid',
      error: { code: 'INVALID_ADDRESS' },
    });
  });

  it.each(['wallet', 'recipient'])("when the %s's account is frozen", async (whose) => {
    chain.hold({ owner: wallet, mint: USDC, amount: 9n }, { frozen: whose === 'wallet' });
    chain.hold({ owner: to, mint: USDC, amount: 0n }, { frozen: whose === 'recipient' });
    const prepared = await prepare({ mint: USDC, amount: '0.000001' });
    expect(prepared).toMatchObject({
      kind: 'impossible',
      error: { code: 'UNSAFE_TOKEN', data: { mint: USDC, reasons: [`frozen_${whose}`] } },
    });
  });
});

describe('a transfer as history shows it', () => {
  const request = transferRequest({ to: 'someone', mint: 'USDC', amount: '64.1', memo: 'rent' });

  it('has amount and mint even before the chain was asked, where the token is known', () => {
    expect(handler.describe(request, undefined)).toMatchObject({
      ...{ asset: 'USDC', amount: 64_100_000n, decimals: 6, to: 'someone' },
      facts: { $case: 'transfer', value: { mint: USDC, amount: 64_100_000n, amountSent: 64_100_000n, memo: 'rent' } },
    });
  });

  it('has no amount while decimals are not known', () => {
    const token = newAddress();
    const shown = handler.describe({ ...request, mint: token }, undefined);
    expect(shown).toMatchObject({ asset: token, amount: undefined, decimals: 0, to: 'someone' });
    expect(shown.facts?.value).toMatchObject({ mint: token, amountSent: 0n, memo: 'rent' });
  });
});

describe('a transfer that died', () => {
  it('is explained by the money that another one took, or not at all', async () => {
    const prepared = await prepare();
    if (prepared.kind !== 'ready') throw new Error(prepared.kind);
    const operation = { id: newId(), agentId, request: transferRequest({ to, mint: '', amount: '0.5', memo: '' }) };
    expect(await handler.explainExpiry(operation, prepared.plan)).toBeUndefined();
    chain.all.delete(wallet);
    expect(await handler.explainExpiry(operation, prepared.plan)).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
  });
});
