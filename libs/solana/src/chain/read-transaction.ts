import { encodeBase58 } from '../addresses/base58.js';
import { decodeMessage, MalformedMessage } from '../messages/decode-message.js';
import { isSignature, splitTransaction } from '../messages/transaction.js';
import { isV1Transaction, readV1Transaction } from '../messages/v1-transaction.js';
import {
  type Fields,
  InexactNumber,
  readAddress,
  readArray,
  readBase64,
  readCount,
  readFields,
  readText,
  readU64,
  readU64Text,
  ShapeError,
} from './shapes.js';
import { UnreadableTransaction } from './unreadable-transaction.js';
import type { AddressSignature, LandedTokenBalance, LandedTransaction, SignatureStatus } from './solana-chain.js';

/** Returns the node's error of a transaction as JSON text; null for success. */
export function readError(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Reads one status of getSignatureStatuses. @throws ShapeError */
export function readStatus(value: unknown): SignatureStatus | null {
  if (value === null) return null;
  const { slot, confirmationStatus, err } = readFields(value, 'the status');
  const commitment = readText(confirmationStatus, 'the confirmation status');
  if (commitment !== 'processed' && commitment !== 'confirmed' && commitment !== 'finalized') {
    throw new ShapeError('the confirmation status is not known');
  }
  if (err === undefined) throw new ShapeError('the status does not say whether there was an error');
  return { slot: readCount(slot, 'the slot'), commitment, error: readError(err) };
}

/** Reads the result of getSignaturesForAddress. @throws ShapeError */
export function readAddressSignatures(result: unknown): AddressSignature[] {
  return readArray(result, 'the signatures').map((entry) => {
    const { signature, slot, err, blockTime, confirmationStatus } = readFields(entry, 'the entry');
    if (err === undefined) throw new ShapeError('the entry does not say whether there was an error');
    const isKnown = confirmationStatus === 'confirmed' || confirmationStatus === 'finalized';
    return {
      signature: readSignature(signature),
      slot: readCount(slot, 'the slot'),
      error: readError(err),
      blockTimeMs: readBlockTime(blockTime),
      ...(isKnown ? { commitment: confirmationStatus } : {}),
    };
  });
}

function readSignature(value: unknown): string {
  const text = readText(value, 'the signature');
  if (!isSignature(text)) throw new ShapeError('the signature is none');
  return text;
}

function readBlockTime(value: unknown): number | null {
  return value === null || value === undefined ? null : readCount(value, 'the time') * 1000;
}

/**
 * Reads the result of getTransaction in base64. The bytes are authoritative; the rest is metadata that the node adds.
 * @throws UnreadableTransaction; InexactNumber when parsing has already lost digits
 */
export function readTransaction(result: unknown, signature: string): LandedTransaction | null {
  if (result === null) return null;
  try {
    return readLanded(result, signature);
  } catch (error) {
    if (!(error instanceof ShapeError) || error instanceof InexactNumber) throw error;
    const { version } = result as Fields;
    throw new UnreadableTransaction(error.message, typeof version === 'number' && version > 0);
  }
}

function readLanded(result: unknown, signature: string): LandedTransaction {
  const { slot, blockTime, transaction, meta } = readFields(result, 'the transaction');
  const { err, fee, preBalances, postBalances, preTokenBalances, postTokenBalances, loadedAddresses } = readFields(
    meta,
    'the meta data',
  );
  if (err === undefined) throw new ShapeError('the transaction does not say whether there was an error');
  const { signatures, message, keys } = takeApart(readBase64(transaction, 'the bytes'));
  if (!signatures.includes(signature)) throw new ShapeError('another transaction than the one asked for');
  const addresses = [...keys, ...readLoadedAddresses(loadedAddresses)];
  return {
    slot: readCount(slot, 'the slot'),
    blockTimeMs: readBlockTime(blockTime),
    error: readError(err),
    feeLamports: readU64(fee, 'the fee'),
    signatures,
    message,
    addresses,
    preBalances: readBalances(preBalances, addresses.length),
    postBalances: readBalances(postBalances, addresses.length),
    preTokenBalances: readTokenBalances(preTokenBalances, addresses),
    postTokenBalances: readTokenBalances(postTokenBalances, addresses),
  };
}

function takeApart(bytes: Uint8Array): { signatures: string[]; message: Uint8Array; keys: string[] } {
  try {
    if (isV1Transaction(bytes)) {
      const { signatures, message, keys } = readV1Transaction(bytes);
      return { signatures: signatures.map(encodeBase58), message, keys: keys.map(encodeBase58) };
    }
    const { signatures, message } = splitTransaction(bytes);
    return { signatures: signatures.map(encodeBase58), message, keys: decodeMessage(message).keys.map(encodeBase58) };
  } catch (error) {
    if (error instanceof MalformedMessage) throw new ShapeError(`no transaction: ${error.message}`);
    throw error;
  }
}

function readLoadedAddresses(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const { writable, readonly } = readFields(value, 'the loaded addresses');
  return [...readArray(writable, 'the writable ones'), ...readArray(readonly, 'the readonly ones')].map((address) =>
    readAddress(address, 'a loaded address'),
  );
}

function readBalances(value: unknown, count: number): bigint[] {
  const balances = readArray(value, 'the balances').map((lamports) => readU64(lamports, 'a balance'));
  if (balances.length !== count) throw new ShapeError('not as many balances as addresses');
  return balances;
}

function readTokenBalances(value: unknown, addresses: readonly string[]): LandedTokenBalance[] {
  if (value === undefined || value === null) return [];
  return readArray(value, 'the token balances').map((entry) => {
    const { accountIndex, mint, owner, uiTokenAmount } = readFields(entry, 'the token balance');
    const { amount, decimals } = readFields(uiTokenAmount, 'the token amount');
    const account = addresses[readCount(accountIndex, 'the index')];
    if (account === undefined) throw new ShapeError('a token balance of no account');
    return {
      account,
      mint: readAddress(mint, 'the mint'),
      owner: owner === undefined || owner === null ? null : readAddress(owner, 'the owner'),
      amount: readU64Text(amount, 'the amount'),
      decimals: readCount(decimals, 'the decimals'),
    };
  });
}
