import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@agent-wallet/kernel';
import { checkMessage, requiredSigners, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { UnwrapHandler } from '../src/application/unwraps/unwrap-handler.js';
import { unwrapRequestOf } from '../src/grpc/messages.js';
import { FakeChain, FakeWallets } from './fakes.js';

const RENT = 2_039_280n;
const agentId = newId();
const wallet = newAddress();
const sponsor = newAddress();

let chain: FakeChain;
let handler: UnwrapHandler;
let priorityLamports: bigint;

beforeEach(async () => {
  chain = new FakeChain();
  const wallets = new FakeWallets();
  await wallets.add(agentId, wallet);
  priorityLamports = 0n;
  const priority = { lamportsFor: async () => priorityLamports, noteExpiry: () => undefined };
  handler = new UnwrapHandler({ wallets, chain, operator: { sponsor }, priority });
  chain.fund(wallet, 1_000_000_000n);
});

const wrap = (amount: bigint, over: { readonly controller?: string } = {}) =>
  chain.hold({ owner: wallet, mint: WRAPPED_SOL_MINT, amount }, { ...over, lamports: amount + RENT });
const operationOf = (amount: string) => ({ id: newId(), agentId, request: unwrapRequestOf({ amount }) });

async function ready(amount: string) {
  const prepared = await handler.prepare(operationOf(amount));
  if (prepared.kind !== 'ready') throw prepared.error;
  checkMessage(prepared.message, prepared.intent, { maxNetworkFeeLamports: 10_000n });
  return { ...prepared, signers: requiredSigners(prepared.message) };
}

describe('preparing an unwrap', () => {
  it('of all takes one read of the chain', async () => {
    wrap(1_500_000_000n);
    const { plan, intent } = await ready('');
    expect(plan).toEqual({ amount: 1_500_000_000n, remainder: 0n, gained: 1_500_000_000n + RENT });
    expect(intent).toEqual({ wallet, action: { $case: 'unwrap', value: { amount: 1_500_000_000n, remainder: 0n } } });
    expect(chain.reads).toBe(1);
  });

  it('of a part leaves the rest wrapped', async () => {
    wrap(1_500_000_000n);
    const { intent } = await ready('0.5');
    expect(intent.action).toMatchObject({ value: { amount: 500_000_000n, remainder: 1_000_000_000n } });
  });

  it('of more than there is, of nothing, or of what another party controls is impossible', async () => {
    const impossible = { kind: 'impossible', error: { code: 'INSUFFICIENT_FUNDS' } };
    expect(await handler.prepare(operationOf(''))).toMatchObject(impossible);
    wrap(0n);
    expect(await handler.prepare(operationOf(''))).toMatchObject(impossible);
    wrap(1_000n);
    expect(await handler.prepare(operationOf('0.000001001'))).toMatchObject(impossible);
    wrap(1_000n, { controller: newAddress() });
    expect(await handler.prepare(operationOf('0.000001'))).toMatchObject(impossible);
  });

  it('of a wallet without SOL is sponsored, and no other', async () => {
    wrap(1_500_000_000n);
    chain.fund(sponsor, 10_000n);
    chain.fund(wallet, 4_999n);
    const { plan, intent, signers } = await ready('');
    expect(plan.sponsor).toBe(sponsor);
    expect(intent).toMatchObject({ sponsor, maxNetworkFeeLamports: 10_000n });
    expect(signers).toEqual([sponsor, wallet]);
    chain.fund(wallet, 5_000n);
    expect((await ready('')).signers).toEqual([wallet]);
  });

  it('that neither wallet nor sponsor can pay for names the lamports that the wallet lacks', async () => {
    wrap(1_500_000_000n);
    chain.fund(wallet, 4_000n);
    chain.fund(sponsor, 9_999n);
    const impossible = { kind: 'impossible', error: { code: 'INSUFFICIENT_FUNDS', data: { missingLamports: '1000' } } };
    expect(await handler.prepare(operationOf(''))).toMatchObject(impossible);
  });

  it('must leave the wallet what an account must hold', async () => {
    wrap(1_500_000_000n);
    chain.all.delete(wallet);
    chain.fund(sponsor, 1_000_000_000n);
    expect((await ready('0.00089088')).plan.amount).toBe(890_880n);
    expect(await handler.prepare(operationOf('0.000890879'))).toMatchObject({
      kind: 'invalid',
      error: { details: [{ field: 'amount' }] },
    });
  });
});

describe('an unwrap', () => {
  it('that died is explained by one that was faster, by lamports that went, or not at all', async () => {
    wrap(1_500_000_000n);
    const { plan } = await ready('');
    expect(await handler.explainExpiry(operationOf(''), plan)).toBeUndefined();
    chain.fund(wallet, 4_999n);
    expect(await handler.explainExpiry(operationOf(''), plan)).toMatchObject({ data: { missingLamports: '1' } });
    chain.fund(wallet, 1_000_000_000n);
    wrap(0n);
    expect(await handler.explainExpiry(operationOf(''), plan)).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
  });

  it('is shown in SOL', async () => {
    wrap(1_500_000_000n);
    const { plan } = await ready('');
    const shown = { asset: 'SOL', decimals: 9 };
    const facts = { amount: undefined, sponsored: false };
    expect(handler.describe({}, undefined)).toEqual({ ...shown, facts: { $case: 'unwrapSol', value: facts } });
    const amount = 1_500_000_000n;
    expect(handler.describe({}, { ...plan, sponsor })).toEqual({
      ...{ ...shown, amount },
      facts: { $case: 'unwrapSol', value: { amount, sponsored: true } },
    });
  });
});
