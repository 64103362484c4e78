import type { Key } from '../encoding/keys.js';
import type { Account, AccountChange } from './account.js';
import { isTokenAccount, tokenOwner } from './token-layout.js';

/** What an account was before a change, so that readers of an older slot still see it. */
interface Undo {
  readonly slot: number;
  readonly timeMs: number;
  readonly key: Key;
  readonly before: Account | undefined;
}

/**
 * Every account that was ever seeded or touched, at the head and for a while back: readers at `confirmed`, at
 * `finalized` or behind a lagging node look at an older slot. Token accounts are indexed by owner.
 */
export class AccountStore {
  private readonly accounts = new Map<Key, Account>();
  private readonly byTokenOwner = new Map<Key, Set<Key>>();
  private readonly undoByKey = new Map<Key, Undo[]>();
  private undos: Undo[] = [];
  private undoStart = 0;
  private changedAtSlot = 0;

  /** The state at the end of `slot`; without one, at the head. */
  get(key: Key, slot = Infinity): Account | undefined {
    if (slot < this.changedAtSlot) {
      const undo = this.undoByKey.get(key)?.find((u) => u.slot > slot);
      if (undo) return undo.before;
    }
    return this.accounts.get(key);
  }

  /** The token accounts an owner had at the end of `slot`. */
  tokenAccountsOf(owner: Key, slot = Infinity): Array<{ key: Key; account: Account }> {
    const keys = new Set(this.byTokenOwner.get(owner));
    if (slot < this.changedAtSlot) {
      for (const undo of this.undosAfter(slot)) {
        if (isTokenAccount(undo.before) && tokenOwner(undo.before) === owner) keys.add(undo.key);
      }
    }
    const found: Array<{ key: Key; account: Account }> = [];
    for (const key of keys) {
      const account = this.get(key, slot);
      if (isTokenAccount(account) && tokenOwner(account) === owner) found.push({ key, account });
    }
    return found;
  }

  /** Every account at the head, in the order in which they came. */
  entries(): IterableIterator<[Key, Account]> {
    return this.accounts.entries();
  }

  get size(): number {
    return this.accounts.size;
  }

  /** Puts changes of one slot in place and remembers what was before. */
  apply(slot: number, timeMs: number, changes: readonly AccountChange[]): void {
    for (const { key, after } of changes) {
      const before = this.accounts.get(key);
      const undo = { slot, timeMs, key, before };
      this.undos.push(undo);
      const list = this.undoByKey.get(key);
      if (list) list.push(undo);
      else this.undoByKey.set(key, [undo]);
      this.set(key, after);
    }
    if (changes.length > 0) this.changedAtSlot = slot;
  }

  /** Puts a state in place that was always there, for all observers. */
  seed({ key, after }: AccountChange): void {
    this.set(key, after);
  }

  /** Forgets what lies before both a slot and a time: no read may go back further. */
  forget(slot: number, timeMs: number): void {
    while (this.undoStart < this.undos.length) {
      const undo = this.undos[this.undoStart]!;
      if (undo.slot >= slot || undo.timeMs >= timeMs) break;
      const list = this.undoByKey.get(undo.key)!;
      if (list.length === 1) this.undoByKey.delete(undo.key);
      else list.shift();
      this.undoStart++;
    }
    if (this.undoStart > 4096 && this.undoStart * 2 > this.undos.length) {
      this.undos = this.undos.slice(this.undoStart);
      this.undoStart = 0;
    }
  }

  /** Takes back every change from a slot on, the latest first, and answers which accounts are as they were before. */
  rewind(slot: number): Key[] {
    const rewound = new Set<Key>();
    while (this.undos.length > this.undoStart && this.undos.at(-1)!.slot >= slot) {
      const { key, before } = this.undos.pop()!;
      const list = this.undoByKey.get(key)!;
      list.pop();
      if (list.length === 0) this.undoByKey.delete(key);
      this.set(key, before);
      rewound.add(key);
    }
    return [...rewound];
  }

  private *undosAfter(slot: number): Generator<Undo> {
    for (let i = this.undos.length - 1; i >= this.undoStart && this.undos[i]!.slot > slot; i--) yield this.undos[i]!;
  }

  private set(key: Key, after: Account | undefined): void {
    const before = this.accounts.get(key);
    const oldOwner = isTokenAccount(before) ? tokenOwner(before) : undefined;
    const newOwner = isTokenAccount(after) ? tokenOwner(after) : undefined;
    if (oldOwner !== newOwner) {
      if (oldOwner !== undefined) this.byTokenOwner.get(oldOwner)?.delete(key);
      if (newOwner !== undefined) this.ownersSet(newOwner).add(key);
    }
    if (after) this.accounts.set(key, after);
    else this.accounts.delete(key);
  }

  private ownersSet(owner: Key): Set<Key> {
    let keys = this.byTokenOwner.get(owner);
    if (!keys) this.byTokenOwner.set(owner, (keys = new Set()));
    return keys;
  }
}
