import { decodeBase58, encodeBase58 } from '../../encoding/base58.js';
import { RawJson, writeJson } from '../../encoding/json.js';
import { key, type Key, keyText } from '../../encoding/keys.js';
import type { Chain } from '../chain.js';
import type { Landed } from '../ledger.js';
import { isWritableStatic, readTransaction } from '../message.js';
import type { Message, WireTransaction } from '../wire-transaction.js';
import type { InnerInstructions } from '../svm.js';
import type { Config } from './call.js';
import { parseInstruction } from './parsed-instruction.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';

/** A landed transaction as getTransaction answers it. */
export function encodeTransaction(landed: Landed, chain: Chain, config: Config): Record<string, unknown> {
  return { blockTime: Math.floor(landed.timeMs / 1000), slot: landed.slot, ...encodeInBlock(landed, chain, config) };
}

/** The same as a block holds it. @throws RpcError when the caller does not take its version */
export function encodeInBlock(landed: Landed, chain: Chain, config: Config): Record<string, unknown> {
  const { wire, meta } = chain.ledger.read(landed);
  const tx = readTransaction(wire);
  const encoding = config['encoding'] ?? 'json';
  return {
    meta: new RawJson(encoding === 'jsonParsed' ? withParsedInner(meta, tx.message) : meta),
    transaction: encodeWire(tx, encoding, meta),
    version: acceptedVersion(tx.message, config),
  };
}

/** What a block holds of it when only accounts are asked for. */
export function encodeAccounts(landed: Landed, chain: Chain, config: Config): Record<string, unknown> {
  const { wire, meta } = chain.ledger.read(landed);
  const { message, signatures } = readTransaction(wire);
  const accountKeys = parsedKeys(message, meta);
  return {
    meta: new RawJson(meta),
    transaction: { accountKeys, signatures: signatures.map(keyText) },
    version: acceptedVersion(message, config),
  };
}

/** The version as it is answered: only to callers that name the newest one they take. */
function acceptedVersion(message: Message, config: Config): Message['version'] | undefined {
  const asked = config['maxSupportedTransactionVersion'];
  const isAsked = asked !== undefined && asked !== null;
  if (message.version === 'legacy') return isAsked ? 'legacy' : undefined;
  if (isAsked && Number(asked) >= message.version) return message.version;
  const text =
    `Transaction version (${message.version}) is not supported by the requesting client. Please try the request again ` +
    `with the following configuration parameter: "maxSupportedTransactionVersion": ${message.version}`;
  throw new RpcError(RpcCode.unsupportedVersion, text);
}

function encodeWire(tx: WireTransaction, encoding: unknown, meta: string): unknown {
  switch (encoding) {
    case 'base64':
      return [tx.wire.toString('base64'), 'base64'];
    case 'base58':
      return [encodeBase58(tx.wire), 'base58'];
    case 'binary':
      return encodeBase58(tx.wire);
    case 'json':
      return { message: jsonMessage(tx.message), signatures: tx.signatures.map(keyText) };
    case 'jsonParsed':
      return { message: parsedMessage(tx.message, meta), signatures: tx.signatures.map(keyText) };
    default:
      throw invalidParams(`unknown variant \`${String(encoding)}\`, expected json, jsonParsed, base58 or base64`);
  }
}

function jsonMessage(message: Message): Record<string, unknown> {
  return {
    accountKeys: message.keys.map(keyText),
    header: {
      numReadonlySignedAccounts: message.readonlySigned,
      numReadonlyUnsignedAccounts: message.readonlyUnsigned,
      numRequiredSignatures: message.requiredSignatures,
    },
    instructions: message.instructions.map((instruction) => ({
      accounts: [...instruction.accounts],
      data: encodeBase58(instruction.data),
      programIdIndex: instruction.programIndex,
      stackHeight: 1,
    })),
    recentBlockhash: keyText(message.blockhash),
    addressTableLookups: message.version === 0 ? tableLookups(message) : undefined,
  };
}

/** Accounts are spelled out, and instructions of known programs decoded. */
function parsedMessage(message: Message, meta: string): Record<string, unknown> {
  const accountKeys = parsedKeys(message, meta);
  const keys = accountKeys.map(({ pubkey }) => key(pubkey));
  const instructions = message.instructions.map(({ programIndex, accounts, data }) =>
    parseInstruction({ program: keys[programIndex]!, accounts: keysAt(keys, [...accounts]), data, stackHeight: 1 }),
  );
  const addressTableLookups = message.version === 0 ? tableLookups(message) : undefined;
  return { accountKeys, instructions, recentBlockhash: keyText(message.blockhash), addressTableLookups };
}

interface ParsedKey {
  readonly pubkey: string;
  readonly signer: boolean;
  readonly source: 'transaction' | 'lookupTable';
  readonly writable: boolean;
}

/** Every account that instructions may name, in the order of their numbers. */
function parsedKeys(message: Message, meta: string): ParsedKey[] {
  const { loadedAddresses } = JSON.parse(meta) as { loadedAddresses: { writable: string[]; readonly: string[] } };
  const loaded = { signer: false, source: 'lookupTable' } as const;
  return [
    ...message.keys.map((key, index) => ({
      pubkey: keyText(key),
      signer: index < message.requiredSignatures,
      source: 'transaction' as const,
      writable: isWritableStatic(message, index),
    })),
    ...loadedAddresses.writable.map((pubkey) => ({ ...loaded, pubkey, writable: true })),
    ...loadedAddresses.readonly.map((pubkey) => ({ ...loaded, pubkey, writable: false })),
  ];
}

const keysAt = (keys: readonly Key[], indexes: readonly number[]): Key[] => indexes.map((index) => keys[index]!);

const INNER = '"innerInstructions":';
const AFTER_INNER = ',"loadedAddresses":';

/**
 * The metadata with inner instructions decoded. Only their text is replaced: a lamport amount beyond 2^53 would not
 * survive being read as a number.
 */
function withParsedInner(meta: string, message: Message): string {
  const [start, end] = [meta.indexOf(INNER) + INNER.length, meta.indexOf(AFTER_INNER)];
  const inner = JSON.parse(meta.slice(start, end)) as InnerInstructions[];
  if (inner.length === 0) return meta;
  const keys = parsedKeys(message, meta).map(({ pubkey }) => key(pubkey));
  const parsed = inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) =>
      parseInstruction({
        program: keys[programIdIndex]!,
        accounts: keysAt(keys, accounts),
        data: decodeBase58(data)!,
        stackHeight,
      }),
    ),
  }));
  return meta.slice(0, start) + writeJson(parsed) + meta.slice(end);
}

function tableLookups(message: Message): unknown[] {
  return message.lookups.map(({ table, writable, readonly }) => ({
    accountKey: keyText(table),
    readonlyIndexes: [...readonly],
    writableIndexes: [...writable],
  }));
}
