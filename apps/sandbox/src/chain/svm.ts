import litesvm from 'litesvm/dist/internal.js';
import { encodeBase58 } from '../encoding/base58.js';
import { type Key, keyBytes, keyOf } from '../encoding/keys.js';
import type { Account, AccountChange } from './account.js';
import type { AccountStore } from './account-store.js';
import type { Position } from './chain-clock.js';
import { SLOTS_PER_EPOCH, SYSVAR_OWNER } from './clock-sysvar.js';
import type { WireTransaction } from './wire-transaction.js';
import { SYSTEM_PROGRAM } from './programs.js';
import { RENT_SYSVAR } from './rent-sysvar.js';
import { readSplProgram, SPL_PROGRAMS } from './spl-programs.js';
import { toTransactionError, type TransactionError } from './svm-errors.js';
import { asLegacy, isV1 } from './v1-transaction.js';

type Meta = ReturnType<InstanceType<typeof litesvm.FailedTransactionMetadata>['meta']>;

/** What running a transaction did. */
export interface Execution {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint;
  readonly innerInstructions: readonly InnerInstructions[];
  readonly returnData: { readonly programId: string; readonly data: readonly [string, 'base64'] } | null;
}

/** Instructions that an instruction called, as nodes write them. */
export interface InnerInstructions {
  readonly index: number;
  readonly instructions: ReadonlyArray<{
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: string;
    readonly stackHeight: number;
  }>;
}

/**
 * The virtual machine. It keeps its own copy of the accounts it has met; ours (`AccountStore`) is the one that is
 * read, kept and restored. Blockhashes, signatures seen and history are ours too: litesvm knows only the latest of
 * each. Its raw binding is used because the public wrapper decodes and encodes every transaction once more.
 */
export class Svm {
  private readonly vm = new litesvm.LiteSvm();
  private readonly loaded = new Set<Key>();
  private readonly runtime = new Set<Key>();
  private clockSlot = -1;

  constructor(private readonly accounts: AccountStore) {
    this.vm.setBlockhashCheck(false);
    this.vm.setTransactionHistory(0n);
    this.vm.withNativeMints();
    for (const program of SPL_PROGRAMS) {
      this.vm.addProgramWithLoader(keyBytes(program.id), readSplProgram(program), keyBytes(program.loader));
    }
  }

  /** An account that is part of the machine: a program, a sysvar, the native mint. Never one that a transaction made. */
  builtin(key: Key): Account | undefined {
    if (this.loaded.has(key) && !this.runtime.has(key)) return undefined;
    return toAccount(this.vm.getAccount(keyBytes(key)));
  }

  /** The lamports an account of this size needs to stay. */
  rentExemption(dataBytes: number): bigint {
    return this.vm.minimumBalanceForRentExemption(BigInt(dataBytes));
  }

  /** Takes over an account that was changed without a transaction. */
  put({ key, after }: AccountChange): void {
    const { lamports = 0n, data = Buffer.alloc(0), owner = SYSTEM_PROGRAM, executable = false } = after ?? {};
    this.vm.setAccount(keyBytes(key), new litesvm.Account(lamports, data, keyBytes(owner), executable, 0n));
    this.loaded.add(key);
  }

  /** Takes over an account it has met, or the rent, which no transaction names; others are read when they are met. */
  renew(change: AccountChange): void {
    if (this.loaded.has(change.key) || change.key === RENT_SYSVAR) this.put(change);
  }

  /** Runs a transaction for good and returns what it changed among the writable accounts, and how to take it back. */
  execute(tx: WireTransaction, named: NamedAccounts, at: Position): Execution & Effects {
    this.prepare(named, at);
    const before = named.writable.map((key) => ({ key, after: this.accounts.get(key) ?? this.builtin(key) }));
    const result = this.withSigverify(!isV1(tx.wire), () => this.vm.sendVersionedTransaction(runnable(tx)));
    const failed = result instanceof litesvm.FailedTransactionMetadata;
    const execution = toExecution(failed ? result.meta() : result, failed ? toTransactionError(result.err()) : null);
    return { ...execution, changes: this.changesOf(named.writable), undo: () => this.restore(before) };
  }

  /** Runs a transaction on paper. */
  simulate(tx: WireTransaction, named: NamedAccounts, at: Position, verify: boolean): Simulation {
    this.prepare(named, at);
    const verifies = verify && !isV1(tx.wire);
    const result = this.withSigverify(verifies, () => this.vm.simulateVersionedTransaction(runnable(tx)));
    if (result instanceof litesvm.FailedTransactionMetadata) {
      return { ...toExecution(result.meta(), toTransactionError(result.err())), after: new Map() };
    }
    const after = new Map(result.postAccounts().map((a) => [keyOf(a.address), toAccount(a.account())]));
    return { ...toExecution(result.meta(), null), after };
  }

  private withSigverify<T>(verify: boolean, run: () => T): T {
    this.vm.setSigverify(verify);
    try {
      return run();
    } finally {
      this.vm.setSigverify(true);
    }
  }

  /** Hashes of the latest slots, which making a lookup table needs. Costly: only for those who ask. */
  setSlotHashes(hashes: ReadonlyArray<{ slot: number; hash: string }>): void {
    this.vm.setSlotHashes(hashes.map(({ slot, hash }) => ({ slot: BigInt(slot), hash })));
  }

  /** Adds a program, as it is on the real network, at its real id. */
  addProgram(id: Key, elf: Uint8Array): void {
    this.vm.addProgram(keyBytes(id), elf);
  }

  private prepare(named: NamedAccounts, at: Position): void {
    for (const key of named.all) {
      if (this.loaded.has(key)) continue;
      const account = this.accounts.get(key);
      if (account) this.put({ key, after: account });
      else if (this.vm.getAccount(keyBytes(key))) this.runtime.add(key);
      this.loaded.add(key);
    }
    if (at.slot === this.clockSlot) return;
    this.clockSlot = at.slot;
    const epoch = BigInt(Math.floor(at.slot / SLOTS_PER_EPOCH));
    const seconds = BigInt(Math.floor(at.timeMs / 1000));
    this.vm.setClock(new litesvm.Clock(BigInt(at.slot), seconds, epoch, epoch + 1n, seconds));
  }

  private restore(before: readonly AccountChange[]): void {
    for (const change of before) if (!change.after || !isOperationRuntime(change.after)) this.put(change);
  }

  private changesOf(writable: readonly Key[]): AccountChange[] {
    const changes: AccountChange[] = [];
    for (const key of writable) {
      const after = toAccount(this.vm.getAccount(keyBytes(key)));
      if (after && isOperationRuntime(after)) continue;
      if (!sameAccount(this.accounts.get(key), after)) changes.push({ key, after });
    }
    return changes;
  }
}

/** Returns the bytes that the machine runs: it does not know version 1, whose signatures the bank has checked. */
function runnable(tx: WireTransaction): Buffer {
  return isV1(tx.wire) ? asLegacy(tx) : tx.wire;
}

/** What a run did to the accounts. */
interface Effects {
  readonly changes: AccountChange[];
  /** Gives the virtual machine the accounts of before, as long as nothing else has run. */
  readonly undo: () => void;
}

/** The accounts a transaction names, tables resolved. `all` includes the tables themselves. */
export interface NamedAccounts {
  readonly all: readonly Key[];
  readonly writable: readonly Key[];
}

/** A run on paper with the state it would leave. */
export type Simulation = Execution & { readonly after: ReadonlyMap<Key, Account | undefined> };

/** Returns the simulation of a transaction that was refused before it ran. */
export function notRun(error: TransactionError): Simulation {
  return { error, logs: [], unitsConsumed: 0n, innerInstructions: [], returnData: null, after: new Map() };
}

function toAccount(account: InstanceType<typeof litesvm.Account> | null): Account | undefined {
  if (!account) return undefined;
  const lamports = account.lamports();
  const data = account.data();
  if (lamports === 0n && data.length === 0) return undefined;
  const owner = keyOf(account.owner());
  return {
    lamports,
    owner,
    data: Buffer.from(data.buffer, data.byteOffset, data.length),
    executable: account.executable(),
  };
}

/** Programs and sysvars belong to the machine even where a transaction names them writable. */
function isOperationRuntime(account: Account): boolean {
  return account.executable || account.owner === SYSVAR_OWNER;
}

function sameAccount(a: Account | undefined, b: Account | undefined): boolean {
  if (!a || !b) return a === b;
  return a.lamports === b.lamports && a.owner === b.owner && a.executable === b.executable && a.data.equals(b.data);
}

function toExecution(meta: Meta, error: TransactionError | null): Execution {
  const returned = meta.returnData();
  const data = Buffer.from(returned.data());
  return {
    error,
    logs: meta.logs(),
    unitsConsumed: meta.computeUnitsConsumed(),
    innerInstructions: toInnerInstructions(meta),
    returnData:
      data.length === 0
        ? null
        : { programId: encodeBase58(returned.programId()), data: [data.toString('base64'), 'base64'] },
  };
}

function toInnerInstructions(meta: Meta): InnerInstructions[] {
  const found: InnerInstructions[] = [];
  meta.innerInstructions().forEach((called, index) => {
    if (called.length === 0) return;
    const instructions = called.map((inner) => {
      const instruction = inner.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: encodeBase58(instruction.data()),
        stackHeight: inner.stackHeight(),
      };
    });
    found.push({ index, instructions });
  });
  return found;
}
