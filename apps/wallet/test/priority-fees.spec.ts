import { newId } from '@agent-wallet/kernel';
import {
  associatedTokenAddress,
  checkMessage,
  networkFeeLamports,
  type PricedMessage,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana';
import { newAddress } from '@agent-wallet/solana/corpus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeChain, type TestOperator, transferHandler, transferRequest } from './fakes.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SIGNATURE = 5_000n;
const PRIORITY = 7_000n;
const [wallet, sponsor, feeWallet] = [newAddress(), newAddress(), newAddress()];
const agentId = newId();

let chain: FakeChain;
let to: string;
let asked: PricedMessage[];

beforeEach(() => {
  chain = new FakeChain();
  to = newAddress();
  asked = [];
});

async function prepare(over: object, operator: TestOperator = {}, offered = PRIORITY) {
  const priority = {
    noteExpiry: () => undefined,
    lamportsFor: async (message: PricedMessage) => {
      asked.push(message);
      return offered;
    },
  };
  const handler = await transferHandler(chain, { agentId, wallet }, { ...operator, priority });
  const request = transferRequest({ to, mint: '', amount: '0.5', memo: '', ...over });
  return handler.prepare({ id: newId(), agentId, request });
}

async function ready(over: object, operator: TestOperator = {}, offered = PRIORITY) {
  const prepared = await prepare(over, operator, offered);
  if (prepared.kind !== 'ready') throw prepared.error;
  return prepared;
}

describe('a transfer in a busy market', () => {
  it('offers a price, and pays at most the lamports that it names in its plan', async () => {
    chain.fund(wallet, 1_000_000_000n);
    for (let n = 0; n < 20; n += 1) {
      const { plan, message, intent } = await ready({ memo: n % 2 ? 'a memo' : '' });
      expect(plan.priorityLamports).toBe(PRIORITY);
      const fee = networkFeeLamports(message);
      expect(fee).toBeLessThanOrEqual(SIGNATURE + PRIORITY);
      expect(fee).toBeGreaterThan(SIGNATURE + (PRIORITY * 9n) / 10n);
      checkMessage(message, intent, { maxNetworkFeeLamports: SIGNATURE + PRIORITY });
    }
  });

  it('offers none in a quiet one', async () => {
    chain.fund(wallet, 1_000_000_000n);
    const { plan, message } = await ready({}, {}, 0n);
    expect([plan.priorityLamports, networkFeeLamports(message)]).toEqual([undefined, SIGNATURE]);
  });

  it('needs the lamports for it: one less is too few', async () => {
    const amount = 500_000_000n;
    chain.fund(to, 1_000_000n);
    chain.fund(wallet, amount + SIGNATURE + PRIORITY);
    expect(await prepare({})).toMatchObject({ kind: 'ready' });
    chain.fund(wallet, amount + SIGNATURE + PRIORITY - 1n);
    expect(await prepare({})).toMatchObject({ kind: 'impossible', error: { code: 'INSUFFICIENT_FUNDS' } });
  });

  it('of a wallet without SOL names the whole fee to its sponsor, who is permitted no more', async () => {
    chain.fund(sponsor, 1_000_000_000n);
    chain.hold({ owner: wallet, mint: USDC, amount: 9_000_000n });
    chain.hold({ owner: to, mint: USDC, amount: 0n });
    const { intent, message } = await ready({ mint: 'USDC', amount: '1' }, { sponsor });
    expect(intent).toMatchObject({ sponsor, maxNetworkFeeLamports: 2n * SIGNATURE + PRIORITY });
    checkMessage(message, intent, { maxNetworkFeeLamports: 100_000n });
    expect(networkFeeLamports(message)).toBeGreaterThan(2n * SIGNATURE);
  });

  it('asks for the accounts that others write to as well, and for room for its own units', async () => {
    chain.fund(wallet, 1_000_000_000n);
    chain.hold({ owner: wallet, mint: USDC, amount: 9_000_000n });
    const accountOf = (owner: string) => associatedTokenAddress({ owner, mint: USDC, tokenProgram: TOKEN_PROGRAM });
    await ready({});
    await ready({ mint: 'USDC', amount: '1' }, { feeWallet, basisPoints: 0 });
    expect(asked.map(({ accounts }) => accounts)).toEqual([[to], [to, feeWallet].map(accountOf)]);
    for (const { units } of asked) expect(units).toBeLessThan(300_000);
  });
});
