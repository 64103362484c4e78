import { keyText } from '../../encoding/keys.js';
import { BLOCKHASH_LIFE } from '../chain-clock.js';
import { SLOTS_PER_EPOCH } from '../clock-sysvar.js';
import { feeOf } from '../fees.js';
import { readMessage } from '../message.js';
import { asKey, NODE_VERSION, type RpcCall } from './call.js';
import type { Methods } from './methods.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';

const MOST_FEE_ACCOUNTS = 128;
const FEE_SLOTS = 150;
const MOST_LEADERS = 5_000;
const FEATURE_SET = 3_640_012_085;

/** Where the chain stands, and what sending costs. */
export const chainMethods: Methods = {
  getHealth: () => 'ok',

  getVersion: () => ({ 'feature-set': FEATURE_SET, 'solana-core': NODE_VERSION }),

  getGenesisHash: (call) => keyText(call.chain.blockhashes.at(0)),

  getIdentity: (call) => ({ identity: identityOf(call) }),

  getSlot: (call) => call.slot(call.config(0)),

  getBlockHeight: (call) => call.chain.clock.heightAt(call.slot(call.config(0))),

  getBlockTime(call) {
    const slot = call.unsigned(0);
    if (slot > call.view.processed)
      throw new RpcError(RpcCode.blockNotAvailable, `Block not available for slot ${slot}`);
    return Math.floor(call.chain.clock.slotTimeMs(slot) / 1000);
  },

  getEpochInfo(call) {
    const absoluteSlot = call.slot(call.config(0));
    return {
      absoluteSlot,
      blockHeight: call.chain.clock.heightAt(absoluteSlot),
      epoch: Math.floor(absoluteSlot / SLOTS_PER_EPOCH),
      slotIndex: absoluteSlot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: call.chain.ledger.count,
    };
  },

  getEpochSchedule: () => ({
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
    leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
    slotsPerEpoch: SLOTS_PER_EPOCH,
    warmup: false,
  }),

  getSlotLeader: identityOf,

  getSlotLeaders(call) {
    call.unsigned(0);
    const limit = call.unsigned(1);
    if (limit < 1 || limit > MOST_LEADERS) throw invalidParams(`Invalid limit; max ${MOST_LEADERS}`);
    return Array.from({ length: limit }, () => identityOf(call));
  },

  getClusterNodes: (call) => [
    {
      featureSet: FEATURE_SET,
      gossip: null,
      pubkey: identityOf(call),
      pubsub: null,
      rpc: null,
      shredVersion: 0,
      tpu: null,
      version: NODE_VERSION,
    },
  ],

  // One node makes every block, without votes or rewards.
  getVoteAccounts: () => ({ current: [], delinquent: [] }),

  getInflationRate(call) {
    const epoch = Math.floor(call.view.processed / SLOTS_PER_EPOCH);
    return { epoch, foundation: 0, total: 0, validator: 0 };
  },

  getInflationGovernor: () => ({ foundation: 0, foundationTerm: 0, initial: 0, taper: 0, terminal: 0 }),

  getSupply(call) {
    const slot = call.slot(call.config(0));
    let total = 0n;
    for (const [, { lamports }] of call.chain.accounts.entries()) total += lamports;
    return call.answer(slot, {
      circulating: total,
      nonCirculating: 0,
      nonCirculatingAccounts: [],
      total,
    });
  },

  getTransactionCount: (call) => call.chain.ledger.count,

  getLatestBlockhash(call) {
    const slot = call.slot(call.config(0));
    const height = call.chain.clock.heightAt(slot);
    const blockhash = keyText(call.chain.blockhashes.at(height));
    return call.answer(slot, { blockhash, lastValidBlockHeight: height + BLOCKHASH_LIFE });
  },

  isBlockhashValid(call) {
    const slot = call.slot(call.config(1));
    return call.answer(slot, call.chain.blockhashes.isValid(call.key(0), call.chain.clock.heightAt(slot)));
  },

  getFeeForMessage(call) {
    const slot = call.slot(call.config(1));
    const message = decodeMessage(call.text(0));
    const known = call.chain.blockhashes.isValid(message.blockhash, call.chain.clock.heightAt(slot));
    return call.answer(slot, known ? feeOf(message) : null);
  },

  getRecentPrioritizationFees(call) {
    const accounts = call.optional(0);
    if (accounts !== undefined) call.list(0, MOST_FEE_ACCOUNTS).forEach(asKey);
    const { processed } = call.view;
    return Array.from({ length: FEE_SLOTS }, (_, i) => {
      const slot = processed - FEE_SLOTS + 1 + i;
      return { slot, prioritizationFee: call.chain.feeMarket.priceAt(slot) };
    });
  },
};

/** The one node's public key. */
function identityOf(call: RpcCall): string {
  return keyText(call.chain.blockhashes.at(1));
}

function decodeMessage(text: string): ReturnType<typeof readMessage> {
  try {
    return readMessage(Buffer.from(text, 'base64'));
  } catch (error) {
    throw invalidParams(`failed to deserialize the message: ${(error as Error).message}`);
  }
}
