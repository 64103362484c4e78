import { addressBytes, compactU16 } from '@agent-wallet/solana/checks';

/** An account at its place in an instruction. */
export interface DraftAccount {
  readonly address: string;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
}

/** One call of a program. */
export interface DraftInstruction {
  readonly program: string;
  readonly accounts: readonly DraftAccount[];
  readonly data: Buffer;
}

/** Source of a compiled message, right or wrong. */
export interface Draft {
  readonly payer: string;
  readonly instructions: readonly DraftInstruction[];
  /** Entries of each lookup table, by its address. Signers and programs never come from there. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
}

/** A compiled message's parts, all of them free to be wrong. */
export interface MessageParts {
  prefix: number[];
  header: [requiredSignatures: number, readonlySigned: number, readonlyUnsigned: number];
  keys: string[];
  blockhash: Uint8Array;
  instructions: { program: number; accounts: number[]; data: Uint8Array }[];
  lookups: { table: string; writable: number[]; readonly: number[] }[];
  suffix: number[];
}

/** A message with what its tables bring in. */
export interface Compiled {
  readonly message: Uint8Array;
  readonly resolvedAddresses: readonly Uint8Array[];
}

const BLOCKHASH = new Uint8Array(32).fill(7);

export const signer = (address: string): DraftAccount => ({ address, isSigner: true, isWritable: false });
export const payer = (address: string): DraftAccount => ({ address, isSigner: true, isWritable: true });
export const writable = (address: string): DraftAccount => ({ address, isSigner: false, isWritable: true });
export const readonly = (address: string): DraftAccount => ({ address, isSigner: false, isWritable: false });

/** Compiles a draft as honest builders do. */
export function compile(draft: Draft, blockhash: Uint8Array = BLOCKHASH): Compiled {
  const { parts, resolved } = partsOf(draft);
  return { message: encode({ ...parts, blockhash }), resolvedAddresses: resolved.map(addressBytes) };
}

/** Returns the parts of a draft's message, and the addresses that its tables add, in their order. */
export function partsOf(draft: Draft): { parts: MessageParts; resolved: string[] } {
  const accounts = collect(draft);
  const programs = new Set(draft.instructions.map(({ program }) => program));
  const tableOf = new Map<string, string>();
  for (const [table, entries] of draft.tables) {
    for (const entry of entries) if (!programs.has(entry) && !tableOf.has(entry)) tableOf.set(entry, table);
  }
  const isOwn = ({ isSigner, address }: DraftAccount) => isSigner || !tableOf.has(address);
  const own = accounts.filter(isOwn);
  const looked = accounts.filter((account) => !isOwn(account));
  const lookups = [...draft.tables].map(([table, entries]) => {
    const of = (isWritable: boolean) =>
      looked.filter((account) => account.isWritable === isWritable && tableOf.get(account.address) === table);
    const indexes = (some: DraftAccount[]) => some.map(({ address }) => entries.indexOf(address));
    return { table, addresses: [of(true), of(false)] as const, indexes: [indexes(of(true)), indexes(of(false))] };
  });
  const resolved = [0, 1].flatMap((i) => lookups.flatMap(({ addresses }) => addresses[i]!.map((each) => each.address)));
  const keys = own.map(({ address }) => address);
  const indexes = new Map([...keys, ...resolved].map((address, index) => [address, index]));
  const indexOf = (address: string) => indexes.get(address)!;
  const count = (test: (account: DraftAccount) => boolean) => own.filter(test).length;
  const parts: MessageParts = {
    prefix: [0x80],
    header: [
      count(({ isSigner }) => isSigner),
      count(({ isSigner, isWritable }) => isSigner && !isWritable),
      count(({ isSigner, isWritable }) => !isSigner && !isWritable),
    ],
    keys,
    blockhash: BLOCKHASH,
    instructions: draft.instructions.map(({ program, accounts: used, data }) => ({
      program: indexOf(program),
      accounts: used.map(({ address }) => indexOf(address)),
      data,
    })),
    lookups: lookups
      .map(({ table, indexes }) => ({ table, writable: indexes[0]!, readonly: indexes[1]! }))
      .filter((lookup) => lookup.writable.length + lookup.readonly.length > 0),
    suffix: [],
  };
  return { parts, resolved };
}

/** Collects every address once with all its rights: signers before others, in both the writable ones first. */
function collect({ payer: first, instructions }: Draft): DraftAccount[] {
  const accounts = new Map<string, DraftAccount>();
  const all = [payer(first), ...instructions.flatMap((each) => [readonly(each.program), ...each.accounts])];
  for (const account of all) {
    const known = accounts.get(account.address) ?? account;
    accounts.set(account.address, {
      address: account.address,
      isSigner: known.isSigner || account.isSigner,
      isWritable: known.isWritable || account.isWritable,
    });
  }
  const rank = ({ isSigner, isWritable }: DraftAccount) => (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
  return [...accounts.values()].sort((a, b) => rank(a) - rank(b));
}

/** Encodes a message as given, right or wrong. */
export function encode({ prefix, header, keys, blockhash, instructions, lookups, suffix }: MessageParts): Uint8Array {
  const counted = (list: Uint8Array | number[]) => [Buffer.from(compactU16(list.length)), Buffer.from(list)];
  return Uint8Array.from(
    Buffer.concat([
      Buffer.from([...prefix, ...header, ...compactU16(keys.length)]),
      ...keys.map(addressBytes),
      blockhash,
      Buffer.from(compactU16(instructions.length)),
      ...instructions.flatMap(({ program, accounts, data }) => [
        Buffer.of(program),
        ...counted(accounts),
        ...counted(data),
      ]),
      Buffer.from(prefix.length === 0 ? [] : compactU16(lookups.length)),
      ...lookups.flatMap((lookup) => [
        addressBytes(lookup.table),
        ...counted(lookup.writable),
        ...counted(lookup.readonly),
      ]),
      Buffer.from(suffix),
    ]),
  );
}
