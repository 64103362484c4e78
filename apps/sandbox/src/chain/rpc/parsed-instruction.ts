import { type Key, keyAt, keyText } from '../../encoding/keys.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  isTokenProgram,
  MEMO_PROGRAMS,
  SYSTEM_PROGRAM,
  tokenProgramName,
} from '../programs.js';
import { uiTokenAmount } from '../ui-amount.js';
import { encodeBase58 } from '../../encoding/base58.js';

/** An instruction with its accounts spelled out. */
interface ResolvedInstruction {
  readonly program: Key;
  readonly accounts: readonly Key[];
  readonly data: Buffer;
  readonly stackHeight: number;
}

type Info = Readonly<Record<string, unknown>>;

/** What `parsed` holds: a type with its fields, or the text of a memo. */
type Parsed = { readonly type: string; readonly info: Info } | string;

/**
 * An instruction as `jsonParsed` shows it. Like a node's, one of another program, or one that cannot be read, keeps its
 * bytes. The names of types and fields are those of Agave's `transaction-status` crate.
 */
export function parseInstruction(instruction: ResolvedInstruction): Record<string, unknown> {
  const { program, accounts, data, stackHeight } = instruction;
  const programId = keyText(program);
  const found = read(instruction);
  if (found) return { parsed: found.parsed, program: found.program, programId, stackHeight };
  return { accounts: accounts.map(keyText), data: encodeBase58(data), programId, stackHeight };
}

function read(instruction: ResolvedInstruction): { program: string; parsed: Parsed } | undefined {
  const { program } = instruction;
  const [name, parse] =
    program === SYSTEM_PROGRAM
      ? (['system', parseSystem] as const)
      : isTokenProgram(program)
        ? ([tokenProgramName(program), parseToken] as const)
        : program === ASSOCIATED_TOKEN_PROGRAM
          ? (['spl-associated-token-account', parseAssociated] as const)
          : MEMO_PROGRAMS.has(program)
            ? (['spl-memo', parseMemo] as const)
            : [undefined, undefined];
  if (!name) return undefined;
  try {
    const parsed = parse(new InstructionReader(instruction));
    return parsed === undefined ? undefined : { program: name, parsed };
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined; // too short, or too few accounts
    throw error;
  }
}

/** Reads the data from its front; a RangeError where it ends too early. */
class InstructionReader {
  #at = 0;

  constructor(private readonly instruction: ResolvedInstruction) {}

  get data(): Buffer {
    return this.instruction.data;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.data.length;
  }

  u8(): number {
    return this.data.readUInt8(this.#move(1));
  }

  u16(): number {
    return this.data.readUInt16LE(this.#move(2));
  }

  u32(): number {
    return this.data.readUInt32LE(this.#move(4));
  }

  u64(): bigint {
    return this.data.readBigUInt64LE(this.#move(8));
  }

  key(): string {
    const at = this.#move(32);
    if (at + 32 > this.data.length) throw new RangeError('a key is cut off');
    return keyText(keyAt(this.data, at));
  }

  /** A key behind a flag of one byte. */
  optionalKey(): string | null {
    return this.u8() === 0 ? null : this.key();
  }

  /** The account at an index. */
  account(index: number): string {
    const account = this.instruction.accounts[index];
    if (account === undefined) throw new RangeError(`the message has no account ${index}`);
    return keyText(account);
  }

  /** Who signs: one account, or a multisig account with the keys that sign for it. */
  signers(index: number, name: string): Info {
    const { accounts } = this.instruction;
    if (accounts.length <= index + 1) return { [name]: this.account(index) };
    const multisig = `multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return { [multisig]: this.account(index), signers: accounts.slice(index + 1).map(keyText) };
  }

  /** Accounts in the order of these names. */
  accounts(...names: readonly string[]): Info {
    return Object.fromEntries(names.map((name, index) => [name, this.account(index)]));
  }

  #move(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    return at;
  }
}

function parseSystem(from: InstructionReader): Parsed | undefined {
  switch (from.u32()) {
    case 0: {
      const [lamports, space, owner] = [from.u64(), from.u64(), from.key()];
      return { type: 'createAccount', info: { ...from.accounts('source', 'newAccount'), lamports, space, owner } };
    }
    case 1:
      return { type: 'assign', info: { ...from.accounts('account'), owner: from.key() } };
    case 2:
      return { type: 'transfer', info: { ...from.accounts('source', 'destination'), lamports: from.u64() } };
    case 8:
      return { type: 'allocate', info: { ...from.accounts('account'), space: from.u64() } };
    default:
      return undefined;
  }
}

const AUTHORITY_TYPES = ['mintTokens', 'freezeAccount', 'accountOwner', 'closeAccount'];

const amount = (from: InstructionReader): Info => ({ amount: from.u64().toString() });

const tokenAmount = (from: InstructionReader): Info => {
  const raw = from.u64();
  return { tokenAmount: uiTokenAmount(raw, from.u8()) };
};

const mintOf = (from: InstructionReader): Info => {
  const [decimals, mintAuthority, freezeAuthority] = [from.u8(), from.key(), from.optionalKey()];
  return { ...from.accounts('mint'), decimals, mintAuthority, ...(freezeAuthority && { freezeAuthority }) };
};

/** By the first byte. Both token programs share these. */
const TOKEN_INSTRUCTIONS: Readonly<Record<number, (from: InstructionReader) => Parsed | undefined>> = {
  0: (from) => ({ type: 'initializeMint', info: { ...mintOf(from), rentSysvar: from.account(1) } }),
  1: (from) => ({ type: 'initializeAccount', info: from.accounts('account', 'mint', 'owner', 'rentSysvar') }),
  3: (from) => ({
    type: 'transfer',
    info: { ...from.accounts('source', 'destination'), ...amount(from), ...from.signers(2, 'authority') },
  }),
  4: (from) => ({
    type: 'approve',
    info: { ...from.accounts('source', 'delegate'), ...amount(from), ...from.signers(2, 'owner') },
  }),
  5: (from) => ({ type: 'revoke', info: { ...from.accounts('source'), ...from.signers(1, 'owner') } }),
  6: (from) => {
    const authorityType = AUTHORITY_TYPES[from.u8()];
    if (authorityType === undefined) return undefined;
    const subject = authorityType === 'mintTokens' || authorityType === 'freezeAccount' ? 'mint' : 'account';
    const info = { ...from.accounts(subject), authorityType, newAuthority: from.optionalKey() };
    return { type: 'setAuthority', info: { ...info, ...from.signers(1, 'authority') } };
  },
  7: (from) => ({
    type: 'mintTo',
    info: { ...from.accounts('mint', 'account'), ...amount(from), ...from.signers(2, 'mintAuthority') },
  }),
  8: (from) => ({
    type: 'burn',
    info: { ...from.accounts('account', 'mint'), ...amount(from), ...from.signers(2, 'authority') },
  }),
  9: (from) => ({
    type: 'closeAccount',
    info: { ...from.accounts('account', 'destination'), ...from.signers(2, 'owner') },
  }),
  10: (from) => ({
    type: 'freezeAccount',
    info: { ...from.accounts('account', 'mint'), ...from.signers(2, 'freezeAuthority') },
  }),
  11: (from) => ({
    type: 'thawAccount',
    info: { ...from.accounts('account', 'mint'), ...from.signers(2, 'freezeAuthority') },
  }),
  12: (from) => ({
    type: 'transferChecked',
    info: {
      ...from.accounts('source', 'mint', 'destination'),
      ...tokenAmount(from),
      ...from.signers(3, 'authority'),
    },
  }),
  13: (from) => ({
    type: 'approveChecked',
    info: { ...from.accounts('source', 'mint', 'delegate'), ...tokenAmount(from), ...from.signers(3, 'owner') },
  }),
  14: (from) => ({
    type: 'mintToChecked',
    info: { ...from.accounts('mint', 'account'), ...tokenAmount(from), ...from.signers(2, 'mintAuthority') },
  }),
  15: (from) => ({
    type: 'burnChecked',
    info: { ...from.accounts('account', 'mint'), ...tokenAmount(from), ...from.signers(2, 'authority') },
  }),
  16: (from) => ({
    type: 'initializeAccount2',
    info: { ...from.accounts('account', 'mint'), owner: from.key(), rentSysvar: from.account(2) },
  }),
  17: (from) => ({ type: 'syncNative', info: from.accounts('account') }),
  18: (from) => ({ type: 'initializeAccount3', info: { ...from.accounts('account', 'mint'), owner: from.key() } }),
  20: (from) => ({ type: 'initializeMint2', info: mintOf(from) }),
  21: (from) => {
    const extensionTypes: string[] = [];
    while (!from.isAtEnd) {
      if (from.u16() !== IMMUTABLE_OWNER) return undefined;
      extensionTypes.push('immutableOwner');
    }
    const extensions = extensionTypes.length > 0 && { extensionTypes };
    return { type: 'getAccountDataSize', info: { ...from.accounts('mint'), ...extensions } };
  },
  22: (from) => ({ type: 'initializeImmutableOwner', info: from.accounts('account') }),
  26: (from) => {
    if (from.u8() !== TRANSFER_CHECKED_WITH_FEE) return undefined;
    const [raw, decimals, fee] = [from.u64(), from.u8(), from.u64()];
    const amounts = { tokenAmount: uiTokenAmount(raw, decimals), feeAmount: uiTokenAmount(fee, decimals) };
    const accounts = from.accounts('source', 'mint', 'destination');
    return { type: 'transferCheckedWithFee', info: { ...accounts, ...amounts, ...from.signers(3, 'authority') } };
  },
};

const IMMUTABLE_OWNER = 7;
const TRANSFER_CHECKED_WITH_FEE = 1;

function parseToken(from: InstructionReader): Parsed | undefined {
  return TOKEN_INSTRUCTIONS[from.u8()]?.(from);
}

function parseAssociated(from: InstructionReader): Parsed | undefined {
  const type = from.isAtEnd ? 'create' : ['create', 'createIdempotent'][from.u8()];
  if (type === undefined) return undefined;
  return { type, info: from.accounts('source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram') };
}

function parseMemo(from: InstructionReader): Parsed {
  return new TextDecoder('utf-8', { fatal: true }).decode(from.data);
}
