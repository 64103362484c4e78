import { describe, expect, it } from '@jest/globals';
import { type Key, keyAt, keyBytes } from '../encoding/keys.js';
import type { Account } from './account.js';
import { AccountStore } from './account-store.js';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.js';
import { tokenAccountBytes } from './token-layout.js';

const name = (n: number): Key => keyAt(Buffer.alloc(32, n));
const wallet = (lamports: bigint): Account => ({
  lamports,
  owner: SYSTEM_PROGRAM,
  data: Buffer.alloc(0),
  executable: false,
});
const token = (owner: Key, amount: bigint): Account => {
  const data = tokenAccountBytes(keyBytes(name(99)), keyBytes(owner), amount);
  return { lamports: 1n, owner: TOKEN_PROGRAM, data, executable: false };
};

describe('AccountStore', () => {
  it('shows each slot its own state', () => {
    const store = new AccountStore();
    store.seed({ key: name(1), after: wallet(1n) });
    store.apply(10, 0, [{ key: name(1), after: wallet(2n) }]);
    store.apply(12, 0, [{ key: name(1), after: undefined }]);
    store.apply(14, 0, [{ key: name(1), after: wallet(4n) }]);
    const seen = [9, 10, 11, 12, 13, 14, Infinity].map((slot) => store.get(name(1), slot)?.lamports);
    expect(seen).toEqual([1n, 2n, 2n, undefined, undefined, 4n, 4n]);
  });

  it('finds token accounts by the owner they had at a slot', () => {
    const store = new AccountStore();
    store.apply(10, 0, [{ key: name(5), after: token(name(1), 7n) }]);
    store.apply(12, 0, [{ key: name(5), after: token(name(2), 7n) }]);
    store.apply(14, 0, [{ key: name(5), after: undefined }]);
    const found = (owner: number, slot: number): number => store.tokenAccountsOf(name(owner), slot).length;
    expect([9, 10, 11, 12, 14].map((slot) => found(1, slot))).toEqual([0, 1, 1, 0, 0]);
    expect([11, 12, 13, 14].map((slot) => found(2, slot))).toEqual([0, 1, 1, 0]);
  });

  it('forgets only what is behind both the slot and the time', () => {
    const store = new AccountStore();
    store.seed({ key: name(1), after: wallet(0n) });
    for (let slot = 1; slot <= 5; slot++)
      store.apply(slot, slot * 100, [{ key: name(1), after: wallet(BigInt(slot)) }]);
    store.forget(4, 250);
    expect(store.get(name(1), 2)?.lamports).toBe(2n);
    expect(store.get(name(1), 4)?.lamports).toBe(4n);
    store.forget(6, 1_000);
    expect(store.get(name(1))?.lamports).toBe(5n);
  });
});
