import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { NAMED_TOKENS, newId, parseUsd } from '@agent-wallet/kernel';
import type { Preparation } from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import {
  associatedTokenAddress,
  checkMessage,
  requiredSigners,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana';
import { reportFeeAccounts } from '../src/application/transfers/report-fee-accounts.js';
import type { Operator } from '../src/domain/operator.js';
import { OwnLandings } from '../src/domain/own-landings.js';
import type { TransferPlan } from '../src/domain/transfer.js';
import {
  FakeChain,
  FakePrices,
  type TestOperator,
  transferHandler,
  transferRequest,
  type WrittenTransfer,
  REGISTRY,
} from './fakes.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const RENT = 2_039_280n;
const agentId = newId();
const wallet = newAddress();
const sponsor = newAddress();
const feeWallet = newAddress();

let chain: FakeChain;
let prices: FakePrices;
let to: string;

beforeEach(() => {
  chain = new FakeChain();
  prices = new FakePrices();
  to = newAddress();
});

async function prepare(
  over: Partial<WrittenTransfer>,
  operator: TestOperator,
  plan?: TransferPlan,
): Promise<Preparation<TransferPlan>> {
  const handler = await transferHandler(chain, { agentId, wallet }, { prices, ...operator });
  return handler.prepare({
    id: newId(),
    agentId,
    request: transferRequest({ to, mint: 'USDC', amount: '10', memo: '', ...over }),
    plan,
  });
}

async function ready(over: Partial<WrittenTransfer>, operator: TestOperator, plan?: TransferPlan) {
  const prepared = await prepare(over, operator, plan);
  if (prepared.kind !== 'ready') throw new Error(prepared.error.message);
  checkMessage(prepared.message, prepared.intent, { maxNetworkFeeLamports: 10_000n });
  const { value } = prepared.intent.action!;
  return { ...prepared, value, signers: requiredSigners(prepared.message) };
}

describe('a sponsor', () => {
  beforeEach(() => {
    chain.hold({ owner: wallet, mint: USDC, amount: 10_000_000n });
    chain.fund(sponsor, 1_000_000_000n);
  });

  it('pays for a wallet without SOL: it signs first, and the fee is bounded', async () => {
    const { plan, intent, signers } = await ready({}, { sponsor });
    expect(plan).toMatchObject({ sponsor, createsRecipientAccount: true, rentLamports: RENT });
    expect(intent).toMatchObject({ wallet, sponsor, maxNetworkFeeLamports: 10_000n });
    expect(signers).toEqual([sponsor, wallet]);
  });

  it('does not pay for a wallet that can', async () => {
    chain.fund(wallet, RENT + 5_000n);
    const { plan, intent, signers } = await ready({}, { sponsor });
    expect(plan).not.toHaveProperty('sponsor');
    expect(intent).not.toHaveProperty('maxNetworkFeeLamports');
    expect(signers).toEqual([wallet]);
  });

  it.each(['wallet', 'recipient'])('does not pay for a transfer in which it is the %s', async (role) => {
    const prepared = await prepare(role === 'recipient' ? { to: sponsor } : {}, {
      sponsor: role === 'wallet' ? wallet : sponsor,
    });
    expect(prepared).toMatchObject({ kind: 'impossible', error: { code: 'INSUFFICIENT_FUNDS' } });
  });

  it('that holds too little is reported as insufficient funds, not as an internal error', async () => {
    chain.fund(sponsor, RENT + 9_999n);
    expect(await prepare({}, { sponsor })).toMatchObject({
      kind: 'impossible',
      plan: { symbol: 'USDC' },
      error: { code: 'INSUFFICIENT_FUNDS', data: { missingLamports: String(RENT + 5_000n) } },
    });
    expect(await prepare({}, { sponsor: newAddress() })).toMatchObject({ error: { code: 'INSUFFICIENT_FUNDS' } });
  });

  it('whose money went meanwhile explains a transfer that died', async () => {
    const handler = await transferHandler(chain, { agentId, wallet }, { sponsor });
    const { plan } = await ready({}, { sponsor });
    const operation = { id: newId(), agentId, request: transferRequest({ to, mint: 'USDC', amount: '10', memo: '' }) };
    expect(await handler.explainExpiry(operation, plan)).toBeUndefined();
    chain.fund(sponsor, 9_999n);
    expect(await handler.explainExpiry(operation, plan)).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { payer: 'sponsor' },
    });
  });
});

describe("the operator's fee", () => {
  beforeEach(() => {
    chain.fund(wallet, 1_000_000_000n);
    chain.fund(feeWallet, 1_000_000_000n);
    chain.hold({ owner: wallet, mint: USDC, amount: 10_300_000n });
    chain.hold({ owner: feeWallet, mint: USDC, amount: 0n });
    prices.set(USDC, '1', 6);
    prices.set('So11111111111111111111111111111111111111112', '150', 9);
  });
  const terms = { feeWallet, basisPoints: 50, flatUsd: '0.25' };

  it('is added where the balance covers it, and goes to the fee wallet in the same message', async () => {
    const { plan, value } = await ready({}, terms);
    expect(plan.fee).toEqual({ amount: 300_000n, recipient: feeWallet, isDeducted: false });
    expect(value).toMatchObject({ amount: 10_000_000n, fee: 300_000n, feeRecipient: feeWallet });
  });

  it('is deducted from one unit less on: the recipient gets less', async () => {
    chain.hold({ owner: wallet, mint: USDC, amount: 10_299_999n });
    const { plan, value } = await ready({}, terms);
    expect(plan).toMatchObject({ amount: 10_000_000n, fee: { amount: 300_000n, isDeducted: true } });
    expect(value).toMatchObject({ amount: 9_700_000n, fee: 300_000n });
  });

  it('of SOL is flat by the price of SOL, rounded down', async () => {
    const { value } = await ready({ mint: '', amount: '0.1' }, terms);
    expect(value).toMatchObject({ amount: 100_000_000n, fee: 500_000n + 1_666_666n });
  });

  it('is the one that an owner was asked about, at another price and without one', async () => {
    const { plan } = await ready({}, terms);
    prices.set(USDC, '0.5', 6);
    expect((await ready({}, terms)).value).toMatchObject({ fee: 550_000n });
    expect((await ready({}, terms, plan)).value).toMatchObject({ amount: 10_000_000n, fee: 300_000n });
    expect((await ready({}, terms, { ...plan, fee: undefined })).plan).not.toHaveProperty('fee');
  });

  it('has no flat part without a price, or with a price for other decimals', async () => {
    prices.set(USDC, '1', 9);
    expect((await ready({}, terms)).value).toMatchObject({ fee: 50_000n });
    prices.failure = new Error('away');
    expect((await ready({}, terms)).value).toMatchObject({ fee: 50_000n });
  });

  it('is not taken of a token that the fee wallet cannot receive', async () => {
    const account = associatedTokenAddress({ owner: feeWallet, mint: USDC, tokenProgram: TOKEN_PROGRAM });
    chain.all.delete(account);
    expect((await ready({}, terms)).plan).not.toHaveProperty('fee');
    chain.hold({ owner: feeWallet, mint: USDC, amount: 0n }, { frozen: true });
    expect((await ready({}, terms)).plan).not.toHaveProperty('fee');
    chain.hold({ owner: feeWallet, mint: USDC, amount: 0n }, { controller: newAddress() });
    expect((await ready({}, terms)).plan).not.toHaveProperty('fee');
    chain.all.delete(feeWallet);
    expect((await ready({ mint: '', amount: '0.1' }, terms)).plan).not.toHaveProperty('fee');
  });

  it('that cannot be received is logged once for each token, with the account to open', async () => {
    const warnings: object[] = [];
    const logger = { warn: (fields: object) => warnings.push(fields) } as unknown as Logger;
    const account = associatedTokenAddress({ owner: feeWallet, mint: USDC, tokenProgram: TOKEN_PROGRAM });
    chain.all.delete(account);
    const handler = await transferHandler(chain, { agentId, wallet }, { prices, ...terms, logger });
    const send = (mint: string, amount: string, recipient = to) => {
      const request = transferRequest({ to: recipient, mint, amount, memo: '' });
      return handler.prepare({ id: newId(), agentId, request });
    };
    expect(await send('USDC', '1')).toMatchObject({ kind: 'ready' });
    await send('USDC', '1');
    expect(warnings).toEqual([{ event: 'transfer_fee.waived', mint: USDC, symbol: 'USDC', account }]);
    // There is none to take.
    await send('', '0.1', feeWallet);
    expect(warnings).toHaveLength(1);
    chain.all.delete(feeWallet);
    await send('', '0.1');
    expect(warnings.slice(1)).toEqual([{ event: 'transfer_fee.waived', mint: '', symbol: 'SOL', account: feeWallet }]);
  });

  it('is not taken of what the operator receives or sends, nor when it rounds to nothing', async () => {
    expect((await ready({ to: feeWallet }, terms)).plan).not.toHaveProperty('fee');
    expect((await ready({}, { ...terms, feeWallet: wallet })).plan).not.toHaveProperty('fee');
    expect((await ready({ amount: '0.000199' }, { feeWallet, basisPoints: 50 })).plan).not.toHaveProperty('fee');
    expect((await ready({ amount: '0.0002' }, { feeWallet, basisPoints: 50 })).value).toMatchObject({ fee: 1n });
  });

  it('of the whole amount or more leaves nothing to send', async () => {
    const all = { amount: '10.3' };
    expect((await ready(all, { feeWallet, flatUsd: '10.299999' })).value).toMatchObject({ amount: 1n });
    expect(await prepare(all, { feeWallet, flatUsd: '10.3' })).toMatchObject({
      kind: 'impossible',
      error: { code: 'INSUFFICIENT_FUNDS', data: { asset: 'USDC', missingRaw: '10300000' } },
    });
  });

  it('stands in history with what was sent', async () => {
    const handler = await transferHandler(chain, { agentId, wallet });
    const request = transferRequest({ to, mint: 'USDC', amount: '10', memo: '' });
    const { plan } = await ready({}, { ...terms, sponsor: newAddress() });
    expect(handler.describe(request, { ...plan, sponsor }).facts?.value).toMatchObject({
      ...{ mint: USDC, amount: 10_000_000n, fee: 300_000n, feeDeducted: false, amountSent: 10_000_000n },
      ...{ totalDeducted: 10_300_000n, rentLamports: 2_039_280n, sponsored: true },
    });
  });
});

describe("a mint's own fee", () => {
  const older = { epoch: 0n, basisPoints: 100, maximumFee: 2n ** 64n - 1n };
  const newer = { ...older, epoch: 11n, basisPoints: 250 };
  const feeMint = () => chain.makeMint({ extensions: ['transferFeeConfig'], transferFee: { older, newer } });
  const own = { tokenProgram: TOKEN_2022_PROGRAM } as const;

  beforeEach(() => chain.fund(wallet, 1_000_000_000n));

  it('is predicted by the epoch, and the account that is made is large enough for it', async () => {
    const mint = feeMint();
    chain.hold({ owner: wallet, mint, amount: 10_000_000n }, own);
    const { plan, value } = await ready({ mint, amount: '0.100001' }, {});
    expect(plan).toMatchObject({ received: 99_000n, rentLamports: (128n + 182n) * 6_960n });
    expect(value).toMatchObject({ amount: 100_001n, tokenProgram: TOKEN_2022_PROGRAM });
    chain.epoch = 11;
    expect((await ready({ mint, amount: '0.1' }, {})).plan).toMatchObject({ received: 97_500n });
  });

  it('is what the chain posted once the transfer has landed', async () => {
    const mint = feeMint();
    chain.hold({ owner: wallet, mint, amount: 10_000_000n }, own);
    const handler = await transferHandler(chain, { agentId, wallet }, {});
    const { plan } = await ready({ mint, amount: '0.1' }, {});
    const operation = { id: newId(), agentId, request: transferRequest({ to, mint, amount: '0.1', memo: '' }) };
    const account = associatedTokenAddress({ owner: to, mint, ...own });
    const balance = (amount: bigint) => [
      { account: newAddress(), mint, owner: null, amount: 1n, decimals: 6 },
      { account, mint, owner: to, amount, decimals: 6 },
    ];
    await expect(handler.landed(operation, plan, { signature: 'unknown' })).rejects.toThrow('does not know');
    const landed = { preTokenBalances: balance(5n), postTokenBalances: balance(97_505n) };
    chain.landed.set('raised', landed as never);
    chain.landed.set('made', { ...landed, preTokenBalances: [] } as never);
    chain.landed.set('silent', { ...landed, postTokenBalances: [] } as never);
    expect(await handler.landed(operation, plan, { signature: 'raised' })).toEqual({ received: 97_500n });
    expect(await handler.landed(operation, plan, { signature: 'made' })).toEqual({ received: 97_505n });
    await expect(handler.landed(operation, plan, { signature: 'silent' })).rejects.toThrow('does not report');
    const { received: _, ...plain } = plan;
    expect(await handler.landed(operation, plain, { signature: 'plain' })).toBeUndefined();
  });

  it('is taken of what is left when the operator deducts', async () => {
    const mint = feeMint();
    chain.hold({ owner: wallet, mint, amount: 100_000n }, own);
    chain.hold({ owner: feeWallet, mint, amount: 0n }, own);
    const { plan } = await ready({ mint, amount: '0.1' }, { feeWallet, basisPoints: 1_000 });
    expect(plan).toMatchObject({ fee: { amount: 10_000n, isDeducted: true }, received: 89_100n });
  });
});

describe('a recipient who takes nothing without a memo', () => {
  // Type 8, one byte: on.
  const extensions = Uint8Array.of(8, 0, 1, 0, 1);
  const own = { tokenProgram: TOKEN_2022_PROGRAM } as const;

  it('is sent to with one, and without the operator in between', async () => {
    chain.fund(wallet, 1_000_000_000n);
    const mint = chain.makeMint();
    chain.hold({ owner: wallet, mint, amount: 10_000_000n }, own);
    chain.hold({ owner: feeWallet, mint, amount: 0n }, own);
    chain.hold({ owner: to, mint, amount: 0n }, { ...own, extensions });
    const terms = { feeWallet, basisPoints: 100 };
    expect(await prepare({ mint, amount: '1' }, terms)).toMatchObject({
      kind: 'invalid',
      error: { code: 'VALIDATION_ERROR', details: [{ field: 'memo' }] },
    });
    expect((await ready({ mint, amount: '1', memo: 'invoice 7' }, terms)).plan).not.toHaveProperty('fee');
    chain.hold({ owner: to, mint, amount: 0n }, { ...own, extensions: Uint8Array.of(8, 0, 1, 0, 0) });
    expect((await ready({ mint, amount: '1' }, terms)).plan.fee).toBeDefined();
  });
});

describe('a transfer that landed', () => {
  it('is known to be no deposit for the sender where every recipient’s account is watched', async () => {
    const landings = new OwnLandings();
    const handler = await transferHandler(chain, { agentId, wallet }, { landings });
    chain.fund(wallet, 1_000_000_000n);
    chain.hold({ owner: wallet, mint: USDC, amount: 10_000_000n });
    const { plan } = await ready({}, {});
    const operation = { id: newId(), agentId, request: transferRequest({ to, mint: 'USDC', amount: '10', memo: '' }) };
    for (const mint of ['', USDC]) await handler.landed(operation, { ...plan, mint }, { signature: `of ${mint}` });
    expect(['', USDC].map((mint) => landings.has(`of ${mint}`, wallet))).toEqual([true, true]);
    expect(landings.has(`of ${USDC}`, to)).toBe(false);
    await handler.landed(operation, { ...plan, mint: to }, { signature: 'of another' });
    expect(landings.has('of another', wallet)).toBe(false);
  });
});

describe('the report of fee accounts at the start', () => {
  const fees = { basisPoints: 25, flatUsdMicros: parseUsd('0') };

  async function reported(operator: Pick<Operator, 'feeWallet' | 'fees'>): Promise<Array<Record<string, unknown>>> {
    const warnings: Array<Record<string, unknown>> = [];
    const logger = { warn: (fields: Record<string, unknown>) => warnings.push(fields) } as unknown as Logger;
    await reportFeeAccounts({ operator, registry: REGISTRY, chain, logger });
    return warnings;
  }

  it('names each known token that the fee wallet cannot receive, and the account to open', async () => {
    chain.fund(feeWallet, 1_000_000_000n);
    for (const { mint, symbol } of NAMED_TOKENS) {
      if (symbol !== 'USDC') chain.hold({ owner: feeWallet, mint, amount: 0n });
    }
    const account = associatedTokenAddress({ owner: feeWallet, mint: USDC, tokenProgram: TOKEN_PROGRAM });
    const missing = [{ symbol: 'USDC', mint: USDC, account }];
    expect(await reported({ feeWallet, fees })).toEqual([{ event: 'fee_accounts.missing', feeWallet, missing }]);
    chain.hold({ owner: feeWallet, mint: USDC, amount: 0n });
    expect(await reported({ feeWallet, fees })).toEqual([]);
    chain.all.delete(feeWallet);
    const [{ missing: others } = {}] = await reported({ feeWallet, fees });
    expect(others).toEqual([{ symbol: 'SOL', mint: '', account: feeWallet }]);
  });

  it('says that there is no fee wallet, and nothing where no fee is set', async () => {
    expect(await reported({ feeWallet: undefined, fees })).toEqual([{ event: 'fee_wallet.missing' }]);
    expect(await reported({ feeWallet, fees: { ...fees, basisPoints: 0 } })).toEqual([]);
  });
});
