import { addressOf } from '../addresses/address.js';
import { isTokenProgram, TOKEN_2022_PROGRAM } from '../addresses/programs.js';
import { ACCOUNT_TYPE_AT, readTokenExtensions } from './read-token-extensions.js';
import { ShapeError } from './shapes.js';
import type { ChainAccount, MintState, TransferFee, TransferFeeConfig } from './solana-chain.js';

const MINT_BYTES = 82;
const ACCOUNT_TYPE_MINT = 1;
const TRANSFER_FEE_CONFIG = 1;
const DEFAULT_ACCOUNT_STATE = 6;
const PERMANENT_DELEGATE = 12;
const TRANSFER_HOOK = 14;
const STATE_FROZEN = 2;

/** Names of the extensions that a mint can have, by their type. */
const EXTENSIONS = new Map<number, string>([
  [TRANSFER_FEE_CONFIG, 'transferFeeConfig'],
  [3, 'mintCloseAuthority'],
  [4, 'confidentialTransferMint'],
  [DEFAULT_ACCOUNT_STATE, 'defaultAccountState'],
  [9, 'nonTransferable'],
  [10, 'interestBearingConfig'],
  [PERMANENT_DELEGATE, 'permanentDelegate'],
  [TRANSFER_HOOK, 'transferHook'],
  [16, 'confidentialTransferFeeConfig'],
  [18, 'metadataPointer'],
  [19, 'tokenMetadata'],
  [20, 'groupPointer'],
  [21, 'tokenGroup'],
  [22, 'groupMemberPointer'],
  [23, 'tokenGroupMember'],
  [24, 'confidentialMintBurn'],
  [25, 'scaledUiAmount'],
  [26, 'pausable'],
]);

/** Reads a mint from an account; null when the account is not an initialized mint. @throws ShapeError */
export function readMint(address: string, account: ChainAccount): MintState | null {
  const { owner, data } = account;
  if (!isTokenProgram(owner)) return null;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (!isMint(bytes, owner) || bytes[45] !== 1) return null;
  const extensions = readTokenExtensions(bytes);
  const valueOf = (wanted: number) => extensions.find(({ type }) => type === wanted)?.value;
  const transferFee = valueOf(TRANSFER_FEE_CONFIG);
  return {
    address,
    tokenProgram: owner,
    decimals: bytes.readUInt8(44),
    supply: bytes.readBigUInt64LE(36),
    mintAuthority: readOptionalAddress(bytes, 0),
    freezeAuthority: readOptionalAddress(bytes, 46),
    extensions: extensions.map(({ type }) => EXTENSIONS.get(type) ?? `unknown:${type}`),
    transferFee: transferFee ? readTransferFee(transferFee) : null,
    permanentDelegate: readAddressOrZeros(valueOf(PERMANENT_DELEGATE), 0),
    // The authority that may change the program comes first.
    transferHook: readAddressOrZeros(valueOf(TRANSFER_HOOK), 32),
    accountsBeginFrozen: valueOf(DEFAULT_ACCOUNT_STATE)?.[0] === STATE_FROZEN,
  };
}

function isMint(bytes: Buffer, owner: string): boolean {
  if (bytes.length === MINT_BYTES) return true;
  return owner === TOKEN_2022_PROGRAM && bytes[ACCOUNT_TYPE_AT] === ACCOUNT_TYPE_MINT;
}

function readOptionalAddress(bytes: Buffer, at: number): string | null {
  const tag = bytes.readUInt32LE(at);
  if (tag > 1) throw new ShapeError('an authority is neither set nor unset');
  return tag === 0 ? null : addressOf(bytes.subarray(at + 4, at + 36));
}

/** Extensions write an absent address as zeros. */
function readAddressOrZeros(value: Buffer | undefined, at: number): string | null {
  if (!value) return null;
  const bytes = value.subarray(at, at + 32);
  if (bytes.length !== 32) throw new ShapeError('an extension is too short for its address');
  return bytes.every((byte) => byte === 0) ? null : addressOf(bytes);
}

/** Reads a transfer fee: two authorities (32 bytes each), the withheld amount (8), then the two fees (18 each). */
function readTransferFee(value: Buffer): TransferFeeConfig {
  if (value.length !== 108) throw new ShapeError('a transfer fee of another length');
  return { older: readFee(value, 72), newer: readFee(value, 90) };
}

function readFee(value: Buffer, at: number): TransferFee {
  return {
    epoch: value.readBigUInt64LE(at),
    maximumFee: value.readBigUInt64LE(at + 8),
    basisPoints: value.readUInt16LE(at + 16),
  };
}
