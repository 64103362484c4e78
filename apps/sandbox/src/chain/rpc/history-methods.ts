import { RawJson } from '../../encoding/json.js';
import { keyText } from '../../encoding/keys.js';
import type { Landed } from '../ledger.js';
import { BLOCKHASH_LIFE } from '../chain-clock.js';
import { asSignature, type Config, type RpcCall } from './call.js';
import type { Methods } from './methods.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';
import { encodeTransaction } from './transaction-encoding.js';

const MOST_STATUSES = 256;
const MOST_SIGNATURES = 1000;

/** What landed. */
export const historyMethods: Methods = {
  getSignatureStatuses(call) {
    const signatures = call.list(0, MOST_STATUSES).map(asSignature);
    const everything = call.config(1)['searchTransactionHistory'] === true;
    const { processed } = call.view;
    const oldest = everything ? -1 : call.chain.clock.heightAt(processed) - 2 * BLOCKHASH_LIFE;
    const statuses = signatures.map((signature) => {
      const landed = call.chain.ledger.get(signature);
      return landed && landed.slot <= processed && landed.height >= oldest ? status(call, landed) : null;
    });
    return call.answer(processed, statuses);
  },

  getTransaction(call) {
    const putative = call.optional(1);
    const config = typeof putative === 'string' ? { encoding: putative } : call.config(1);
    const landed = call.chain.ledger.get(call.signature(0));
    if (!landed || landed.slot > atLeastConfirmed(call, config)) return null;
    return encodeTransaction(landed, call.chain, config);
  },

  getSignaturesForAddress(call) {
    const config = call.config(1);
    const slot = atLeastConfirmed(call, config);
    const all = call.chain.ledger.naming(call.key(0));
    return page(all, slot, config).map((landed) => ({
      blockTime: Math.floor(landed.timeMs / 1000),
      confirmationStatus: landed.slot <= call.view.finalized ? 'finalized' : 'confirmed',
      err: errorOf(landed),
      memo: null,
      signature: keyText(landed.signature),
      slot: landed.slot,
    }));
  },
};

/** A landing's error as JSON, ready to be written. */
export function errorOf(landed: Landed): RawJson | null {
  return landed.error === null ? null : new RawJson(landed.error);
}

function status(call: RpcCall, landed: Landed): Record<string, unknown> {
  const { processed, confirmed, finalized } = call.view;
  const err = errorOf(landed);
  const isFinal = landed.slot <= finalized;
  return {
    confirmationStatus: isFinal ? 'finalized' : landed.slot <= confirmed ? 'confirmed' : 'processed',
    confirmations: isFinal ? null : processed - landed.slot,
    err,
    slot: landed.slot,
    status: err === null ? { Ok: null } : { Err: err },
  };
}

/** The newest slot that a method of history shows. @throws RpcError below `confirmed` */
export function atLeastConfirmed(call: RpcCall, config: Config): number {
  if (call.commitment(config) === 'processed') {
    throw new RpcError(RpcCode.invalidParams, 'Method does not support commitment below `confirmed`');
  }
  return call.slot(config);
}

/** Newest first; `before` and `until` are left out themselves, as nodes do. */
function page(all: readonly Landed[], slot: number, config: Config): Landed[] {
  const limit = config['limit'] ?? MOST_SIGNATURES;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MOST_SIGNATURES) {
    throw invalidParams(`limit: expected 1 to ${MOST_SIGNATURES}`);
  }
  const before = config['before'] ? asSignature(config['before']) : undefined;
  const until = config['until'] ? asSignature(config['until']) : undefined;
  const found: Landed[] = [];
  let started = before === undefined;
  for (let i = all.length - 1; i >= 0 && found.length < limit; i--) {
    const landed = all[i]!;
    if (landed.signature === until) break;
    if (started && landed.slot <= slot) found.push(landed);
    if (landed.signature === before) started = true;
  }
  return found;
}
