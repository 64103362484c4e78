import type { Key } from '../encoding/keys.js';
import type { Journal } from '../journal/journal.js';
import type { LandedRecord, RecordParts } from './landed-record.js';

/** A landed transaction: what look-ups need in memory; bytes and metadata stay in the journal's file. */
export interface Landed {
  /** Counts landings from 0. */
  readonly index: number;
  readonly signature: Key;
  readonly slot: number;
  readonly height: number;
  readonly timeMs: number;
  /** JSON text of the error; null when it succeeded. */
  readonly error: string | null;
  readonly offset: number;
  readonly wireLength: number;
  readonly metaLength: number;
}

/** Every transaction that landed, by signature, by account, and by owner of a token account. */
export class Ledger {
  private readonly bySignature = new Map<Key, Landed>();
  private readonly byAccount = new Map<Key, Landed[]>();
  private readonly byOwner = new Map<Key, Landed[]>();
  private readonly bySlot = new Map<number, Landed[]>();

  constructor(private readonly journal: Journal) {}

  get count(): number {
    return this.bySignature.size;
  }

  get(signature: Key): Landed | undefined {
    return this.bySignature.get(signature);
  }

  /** Takes a landing in. `accounts` are all it named. */
  add(record: Omit<LandedRecord, 'meta'>, place: { offset: number; parts: RecordParts }, names: Names): Landed {
    const landed = {
      index: this.bySignature.size,
      signature: names.signature,
      slot: record.slot,
      height: record.height,
      timeMs: record.timeMs,
      error: record.error,
      offset: place.offset + place.parts.wireAt,
      wireLength: place.parts.wireLength,
      metaLength: place.parts.metaLength,
    };
    this.bySignature.set(names.signature, landed);
    push(this.bySlot, landed.slot, landed);
    const accounts = new Set(names.accounts);
    for (const key of accounts) push(this.byAccount, key, landed);
    for (const owner of record.tokenOwners) if (!accounts.has(owner)) push(this.byOwner, owner, landed);
    return landed;
  }

  /** Those of one slot, in the order in which they landed. */
  inSlot(slot: number): readonly Landed[] {
    return this.bySlot.get(slot) ?? [];
  }

  /** Those that named the account, oldest first. */
  naming(key: Key): readonly Landed[] {
    return this.byAccount.get(key) ?? [];
  }

  /** Those in which the address or a token account it owned took part, newest first. */
  involving(address: Key): Landed[] {
    const named = this.naming(address);
    const owned = this.byOwner.get(address) ?? [];
    return [...named, ...owned].sort((a, b) => b.offset - a.offset);
  }

  /** Forgets what landed from a slot on, and answers it, oldest first. */
  rewind(from: number): Landed[] {
    const gone = [...this.bySignature.values()].filter((landed) => landed.slot >= from);
    for (const { signature, slot } of gone) {
      this.bySignature.delete(signature);
      this.bySlot.delete(slot);
    }
    for (const index of [this.byAccount, this.byOwner]) {
      for (const list of index.values()) while ((list.at(-1)?.slot ?? -1) >= from) list.pop();
    }
    return gone;
  }

  /** The bytes and the metadata (JSON text) of a landing. */
  read(landed: Landed): { wire: Buffer; meta: string } {
    const bytes = this.journal.read(landed.offset, landed.wireLength + landed.metaLength);
    return { wire: bytes.subarray(0, landed.wireLength), meta: bytes.toString('utf8', landed.wireLength) };
  }
}

/** What a transaction is found by. */
interface Names {
  readonly signature: Key;
  readonly accounts: readonly Key[];
}

function push<Index>(index: Map<Index, Landed[]>, key: Index, landed: Landed): void {
  const list = index.get(key);
  if (list) list.push(landed);
  else index.set(key, [landed]);
}
