import { encodeBase58 } from '../../encoding/base58.js';
import { RawJson } from '../../encoding/json.js';
import { keyText } from '../../encoding/keys.js';
import type { Chain } from '../chain.js';
import type { Landed } from '../ledger.js';
import { isWritableStatic, type Message, readTransaction, type WireTransaction } from '../message.js';
import type { Config } from './call.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';

/** A landed transaction as getTransaction answers it. */
export function encodeTransaction(landed: Landed, chain: Chain, config: Config): Record<string, unknown> {
  const { wire, meta } = chain.ledger.read(landed);
  const tx = readTransaction(wire);
  const asked = config['maxSupportedTransactionVersion'];
  if (tx.message.version === 0 && (asked === undefined || asked === null)) {
    const message =
      'Transaction version (0) is not supported by the requesting client. Please try the request again with the ' +
      'following configuration parameter: "maxSupportedTransactionVersion": 0';
    throw new RpcError(RpcCode.unsupportedVersion, message);
  }
  return {
    blockTime: Math.floor(landed.timeMs / 1000),
    meta: new RawJson(meta),
    slot: landed.slot,
    transaction: encodeWire(tx, config['encoding'] ?? 'json', meta),
    version: asked === undefined || asked === null ? undefined : tx.message.version,
  };
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

/** Accounts are spelled out; instructions stay undecoded, as nodes answer them for programs they do not know. */
function parsedMessage(message: Message, meta: string): Record<string, unknown> {
  const { loadedAddresses } = JSON.parse(meta) as { loadedAddresses: { writable: string[]; readonly: string[] } };
  const accountKeys = [
    ...message.keys.map((key, index) => ({
      pubkey: keyText(key),
      signer: index < message.requiredSignatures,
      source: 'transaction',
      writable: isWritableStatic(message, index),
    })),
    ...loadedAddresses.writable.map((pubkey) => ({ pubkey, signer: false, source: 'lookupTable', writable: true })),
    ...loadedAddresses.readonly.map((pubkey) => ({ pubkey, signer: false, source: 'lookupTable', writable: false })),
  ];
  const instructions = message.instructions.map((instruction) => ({
    accounts: [...instruction.accounts].map((index) => accountKeys[index]!.pubkey),
    data: encodeBase58(instruction.data),
    programId: accountKeys[instruction.programIndex]!.pubkey,
    stackHeight: 1,
  }));
  const addressTableLookups = message.version === 0 ? tableLookups(message) : undefined;
  return { accountKeys, instructions, recentBlockhash: keyText(message.blockhash), addressTableLookups };
}

function tableLookups(message: Message): unknown[] {
  return message.lookups.map(({ table, writable, readonly }) => ({
    accountKey: keyText(table),
    readonlyIndexes: [...readonly],
    writableIndexes: [...writable],
  }));
}
