import type { intentV1 } from '@agent-wallet/contracts';
import { resolvedAddressesHash } from '@agent-wallet/jupiter';
import { type ChainAccounts, corpusAccounts, honestSwaps, lyingSwaps, tablesFor } from '@agent-wallet/jupiter/corpus';
import {
  addressOf,
  associatedTokenAddress,
  type ChainAccount,
  messageHash,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@agent-wallet/solana';
import { describe, expect, it } from '@jest/globals';
import { checkShownSwap } from './check-shown-swap.js';

const WALLET = addressOf(Buffer.alloc(32, 9));
const honest = honestSwaps(WALLET);
const [tabled, plain] = ['three legs, tables', 'tokens'].map((wanted) => honest.find(({ name }) => name === wanted)!);
const { message, intent, resolvedAddresses } = tabled!;
const swapOf = (each: intentV1.Intent) => (each.action as { value: intentV1.Swap }).value;
const swap = swapOf(intent);
const shown = { intent, messageHash: messageHash(message), message };

/** A chain, and the addresses that it was asked for, call by call. */
function chainWith(accounts: ReadonlyMap<string, ChainAccount>) {
  const calls: (readonly string[])[] = [];
  return {
    calls,
    rentExemptMinimumLamports: () => Promise.resolve(RENT),
    accounts: async (addresses: readonly string[]) => {
      calls.push(addresses);
      return { slot: 1, accounts: addresses.map((address) => accounts.get(address) ?? null) };
    },
  };
}

const changedTables = (change: Partial<ChainAccount>): ChainAccounts =>
  new Map([...tablesFor(message, resolvedAddresses)].map(([address, table]) => [address, { ...table, ...change }]));

const RENT = 2_039_280n;
const TRUE = tablesFor(message, resolvedAddresses);
const FALSE = resolvedAddresses.map((address, n) => (n === 1 ? Buffer.alloc(32, 66) : address));

describe('what a swap says of lookup tables', () => {
  it('is taken when the chain says the same', async () => {
    await checkShownSwap(chainWith(TRUE), swap, shown);
  });

  it('is refused when the chain says otherwise, in one address or in their order', async () => {
    for (const said of [FALSE, [...resolvedAddresses].reverse(), resolvedAddresses.slice(1)]) {
      const lie = { ...swap, resolvedAddressesHash: resolvedAddressesHash(said) };
      await expect(checkShownSwap(chainWith(TRUE), lie, shown)).rejects.toMatchObject({
        details: [{ field: 'intent.swap.resolvedAddressesHash' }],
      });
    }
    await expect(checkShownSwap(chainWith(tablesFor(message, FALSE)), swap, shown)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it.each([
    ['are missing', new Map()],
    ["are another program's", changedTables({ owner: TOKEN_PROGRAM })],
    ['are too short', changedTables({ data: Buffer.alloc(56) })],
  ])('is refused when they %s', async (_, tables) => {
    await expect(checkShownSwap(chainWith(tables), swap, shown)).rejects.toMatchObject({
      details: [{ field: 'message' }],
    });
  });
});

describe('the message of a swap', () => {
  it.each([
    ['is not shown', { ...shown, message: undefined }],
    ['is another one than is to be permitted', { ...shown, message: message.with(-1, 1) }],
    ['is none', { intent, message: Buffer.alloc(3), messageHash: messageHash(Buffer.alloc(3)) }],
    ['is of another swap', { intent, message: plain!.message, messageHash: messageHash(plain!.message) }],
    ["is under another wallet's intent", { ...shown, intent: { ...intent, wallet: addressOf(Buffer.alloc(32, 8)) } }],
  ])('is refused when it %s', async (_, other) => {
    const said = other.message === plain!.message ? { ...swap, ...swapOf(plain!.intent), inputAmount: 1n } : swap;
    const asked = { ...other, intent: { ...other.intent, action: { $case: 'swap' as const, value: said } } };
    await expect(checkShownSwap(chainWith(TRUE), said, asked)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'message' }],
    });
  });

  it('costs two reads, of no address twice, and without tables one', async () => {
    const withTables = chainWith(TRUE);
    await checkShownSwap(withTables, swap, shown);
    expect(withTables.calls).toHaveLength(2);
    expect(new Set(withTables.calls.flat()).size).toBe(withTables.calls.flat().length);
    const without = chainWith(new Map());
    const { message: short, intent: own } = plain!;
    await checkShownSwap(without, swapOf(own), { intent: own, message: short, messageHash: messageHash(short) });
    expect(without.calls).toHaveLength(1);
  });

  it('is refused when it lends an account of the wallet, and passes when that is not there', async () => {
    const lie = lyingSwaps(WALLET).find(({ name }) => name.startsWith('three legs, tables: the token of a position'))!;
    const asked = { intent: lie.intent, message: lie.message, messageHash: messageHash(lie.message) };
    const tables = tablesFor(lie.message, lie.resolvedAddresses);
    const held = new Map([...corpusAccounts(WALLET), ...tables]);
    await expect(checkShownSwap(chainWith(held), swapOf(lie.intent), asked)).rejects.toMatchObject({
      details: [{ field: 'message', reason: `mentions ${lie.lent}, which is the wallet's and is not traded` }],
    });
    await checkShownSwap(chainWith(tables), swapOf(lie.intent), asked);
  });
});

describe('the rent that a sponsored swap returns', () => {
  const sponsored = honest.find(({ name }) => name === 'sponsored')!;
  const asked = { intent: sponsored.intent, messageHash: messageHash(sponsored.message), message: sponsored.message };
  const check = (accounts: ReadonlyMap<string, ChainAccount>, rent = RENT) =>
    checkShownSwap(
      { ...chainWith(accounts), rentExemptMinimumLamports: () => Promise.resolve(rent) },
      swapOf(sponsored.intent),
      asked,
    );
  const wrapped = associatedTokenAddress({ owner: WALLET, mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM });
  const refused = { code: 'VALIDATION_ERROR', details: [{ field: 'intent.swap.returnedRentLamports' }] };

  it('is the account’s rent on the chain, and may be tried again when that has changed', async () => {
    await check(new Map());
    const changed = { code: 'SERVICE_UNAVAILABLE' };
    await expect(check(new Map(), RENT - 1n)).rejects.toMatchObject(changed);
    await expect(check(new Map(), RENT + 1n)).rejects.toMatchObject(changed);
  });

  it('is refused for an account that exists, and not for lamports at its address', async () => {
    const account = { lamports: RENT, owner: TOKEN_PROGRAM, data: Buffer.alloc(165), executable: false };
    await expect(check(new Map([[wrapped, account]]))).rejects.toMatchObject(refused);
    await check(new Map([[wrapped, { ...account, lamports: 1n, owner: SYSTEM_PROGRAM, data: Buffer.alloc(0) }]]));
  });
});
