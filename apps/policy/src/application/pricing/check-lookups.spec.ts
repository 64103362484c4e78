import type { intentV1 } from '@agent-wallet/contracts';
import { LOOKUP_TABLE_PROGRAM, resolvedAddressesHash } from '@agent-wallet/jupiter';
import { honestSwaps } from '@agent-wallet/jupiter/corpus';
import { addressOf, type ChainAccount, messageHash, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { decodeMessage } from '@agent-wallet/solana/checks';
import { describe, expect, it } from '@jest/globals';
import { checkLookups } from './check-lookups.js';

const WALLET = addressOf(Buffer.alloc(32, 9));
const { message, intent, resolvedAddresses } = honestSwaps(WALLET).find(({ name }) => name === 'three legs, tables')!;
const swap = (intent.action as { value: intentV1.Swap }).value;
const shown = { messageHash: messageHash(message), message };

/** The tables of the message as they must be on chain, for it to take those addresses from them. */
function tablesOf(addresses: readonly Uint8Array[], change: Partial<ChainAccount> = {}): Map<string, ChainAccount> {
  const rest = [...addresses];
  const { lookups } = decodeMessage(message);
  const tables = lookups.map(({ table }) => [addressOf(table), Buffer.alloc(56 + 256 * 32)] as const);
  for (const part of ['writable', 'readonly'] as const) {
    lookups.forEach((lookup, n) => lookup[part].forEach((index) => tables[n]![1].set(rest.shift()!, 56 + 32 * index)));
  }
  return new Map(
    tables.map(([address, data]) => {
      data.writeUInt32LE(1);
      data.writeBigUInt64LE(2n ** 64n - 1n, 4);
      return [address, { owner: LOOKUP_TABLE_PROGRAM, lamports: 1n, data, executable: false, ...change }];
    }),
  );
}

const chainWith = (tables: ReadonlyMap<string, ChainAccount>) => ({
  accounts: async (addresses: readonly string[]) => ({
    slot: 1,
    accounts: addresses.map((address) => tables.get(address) ?? null),
  }),
});

const TRUE = tablesOf(resolvedAddresses);
const FALSE = resolvedAddresses.map((address, n) => (n === 1 ? Buffer.alloc(32, 66) : address));

describe('what a swap says of lookup tables', () => {
  it('is taken when the chain says the same', async () => {
    await checkLookups(chainWith(TRUE), swap, shown);
  });

  it('is refused when the chain says otherwise, in one address or in their order', async () => {
    for (const said of [FALSE, [...resolvedAddresses].reverse(), resolvedAddresses.slice(1)]) {
      const lie = { ...swap, resolvedAddressesHash: resolvedAddressesHash(said) };
      await expect(checkLookups(chainWith(TRUE), lie, shown)).rejects.toMatchObject({
        details: [{ field: 'intent.swap.resolvedAddressesHash' }],
      });
    }
    await expect(checkLookups(chainWith(tablesOf(FALSE)), swap, shown)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it.each([
    ['no message', { ...shown, message: undefined }],
    ['another message', { ...shown, message: message.with(-1, 1) }],
    ['no message at all', { message: Buffer.alloc(3), messageHash: messageHash(Buffer.alloc(3)) }],
  ])('is refused with %s', async (_, other) => {
    await expect(checkLookups(chainWith(TRUE), swap, other)).rejects.toMatchObject({ details: [{ field: 'message' }] });
  });

  it.each([
    ['are missing', new Map()],
    ["are another program's", tablesOf(resolvedAddresses, { owner: TOKEN_PROGRAM })],
    ['are too short', tablesOf(resolvedAddresses, { data: Buffer.alloc(56) })],
  ])('is refused when they %s', async (_, tables) => {
    await expect(checkLookups(chainWith(tables), swap, shown)).rejects.toMatchObject({
      details: [{ field: 'message' }],
    });
  });

  it('needs nothing shown when there are none: the signer counts them', async () => {
    const none = { ...swap, resolvedAddressesHash: resolvedAddressesHash([]) };
    await checkLookups(chainWith(new Map()), none, { ...shown, message: undefined });
  });
});
