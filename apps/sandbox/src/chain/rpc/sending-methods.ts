import type { FaultBoard } from '../../faults/fault-board.js';
import { decodeBase58 } from '../../encoding/base58.js';
import { type Key, keyText } from '../../encoding/keys.js';
import type { Journal } from '../../journal/journal.js';
import type { Chain } from '../chain.js';
import { MalformedTransaction, readTransaction } from '../message.js';
import type { WireTransaction } from '../wire-transaction.js';
import { notRun, type Simulation } from '../svm.js';
import { describeTransactionError, type TransactionError } from '../svm-errors.js';
import type { Methods } from './methods.js';
import { ReplyLost } from '../../http/reply-lost.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';
import { encodeSimulation, withBlockhash } from './simulation.js';

/** What sending needs besides the chain. */
export interface SendingContext {
  readonly chain: Chain;
  readonly faults: FaultBoard;
  readonly journal: Journal;
  /** Sends lamports of the faucet and answers when they are there. */
  readonly airdrop: (to: Key, lamports: bigint) => Promise<Key>;
}

/** Methods that run transactions, for good or on paper. */
export function sendingMethods({ chain, faults, journal, airdrop }: SendingContext): Methods {
  return {
    async sendTransaction(call) {
      const config = call.config(1);
      const tx = decodeTransaction(call.text(0), config['encoding'] ?? 'base58');
      const subject = { method: 'sendTransaction', addresses: () => addressesOf(tx), byDefault: true };
      if (faults.take('chain', 'expireBlockhash', subject)) chain.expireBlockhashes();
      if (config['skipPreflight'] !== true) {
        call.slot({ ...config, commitment: config['preflightCommitment'] });
        preflight(chain, tx);
      }
      const delay = faults.take('chain', 'delay', subject);
      if (faults.take('chain', 'drop', subject)) chain.drop(tx);
      else chain.accept(tx, { delayMs: delay?.delayMs, atMarketPrice: true });
      await journal.synced();
      if (faults.take('chain', 'landThenFailReply', subject)) throw new ReplyLost();
      return keyText(tx.signatures[0]!);
    },

    simulateTransaction(call) {
      const config = call.config(1);
      const slot = call.slot(config, 'processed');
      const replace = config['replaceRecentBlockhash'] === true;
      const verify = config['sigVerify'] === true;
      if (verify && replace) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
      const sent = decodeTransaction(call.text(0), config['encoding'] ?? 'base58');
      const latest = { hash: chain.blockhashes.at(chain.clock.heightAt(slot)), height: chain.clock.heightAt(slot) };
      const tx = replace ? withBlockhash(sent, latest.hash) : sent;
      const run = refused(chain.refusal(tx)) ?? chain.simulate(tx, verify);
      if (run.error === 'SignatureFailure') throw signatureFailure();
      return call.answer(slot, encodeSimulation(run, config, chain, replace ? latest : undefined));
    },

    async requestAirdrop(call) {
      const signature = await airdrop(call.key(0), BigInt(call.unsigned(1)));
      await journal.synced();
      return keyText(signature);
    },
  };
}

/** Addresses a transaction names, as faults match them. */
export function addressesOf(tx: WireTransaction): ReadonlySet<string> {
  return new Set(tx.message.keys.map(keyText));
}

/** What a node checks before it passes a transaction on. */
function preflight(chain: Chain, tx: WireTransaction): void {
  const run = refused(chain.refusal(tx)) ?? chain.simulate(tx, true);
  if (run.error === null) return;
  if (run.error === 'SignatureFailure') throw signatureFailure();
  const message = `Transaction simulation failed: ${describeTransactionError(run.error)}`;
  throw new RpcError(RpcCode.preflightFailure, message, {
    accounts: null,
    err: run.error,
    innerInstructions: null,
    logs: run.logs,
    replacementBlockhash: null,
    returnData: run.returnData,
    unitsConsumed: run.unitsConsumed,
  });
}

/** A run that did not happen because the transaction was refused before. */
function refused(error: TransactionError | null): Simulation | undefined {
  return error === null ? undefined : notRun(error);
}

function signatureFailure(): RpcError {
  return new RpcError(RpcCode.signatureVerification, 'Transaction signature verification failure');
}

function decodeTransaction(text: string, encoding: unknown): WireTransaction {
  if (encoding !== 'base58' && encoding !== 'base64') {
    throw invalidParams(`unsupported encoding: ${String(encoding)}. Supported encodings: base58, base64`);
  }
  const wire = encoding === 'base64' ? decodeBase64(text) : decodeBase58(text);
  if (!wire) throw invalidParams(`invalid ${encoding} encoding`);
  try {
    return readTransaction(wire);
  } catch (error) {
    if (error instanceof MalformedTransaction)
      throw invalidParams(`failed to deserialize the transaction: ${error.message}`);
    throw error;
  }
}

function decodeBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
