import { keyText } from '../../encoding/keys.js';
import type { Landed } from '../ledger.js';
import type { Config, RpcCall } from './call.js';
import { atLeastConfirmed } from './history-methods.js';
import type { Methods } from './methods.js';
import { invalidParams, RpcCode, RpcError } from './rpc-error.js';
import { encodeAccounts, encodeInBlock } from './transaction-encoding.js';

const MOST_BLOCKS = 500_000;

/** Blocks. Here every slot since the chain's start has one: none is skipped. */
export const blockMethods: Methods = {
  getBlock(call) {
    const slot = call.unsigned(0);
    const putative = call.optional(1);
    const config = typeof putative === 'string' ? { encoding: putative } : call.config(1);
    const first = firstSlot(call);
    if (slot > atLeastConfirmed(call, config)) {
      throw new RpcError(RpcCode.blockNotAvailable, `Block not available for slot ${slot}`);
    }
    if (slot < first) {
      const message = `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`;
      throw new RpcError(RpcCode.blockCleanedUp, message);
    }
    return block(call, slot, config);
  },

  getBlocks(call) {
    const putative = call.optional(1);
    const hasEnd = typeof putative === 'number';
    const newest = atLeastConfirmed(call, call.config(hasEnd ? 2 : 1));
    const start = call.unsigned(0);
    const end = hasEnd ? call.unsigned(1) : newest;
    if (end - start > MOST_BLOCKS) throw invalidParams(`Slot range too large; max ${MOST_BLOCKS}`);
    return slotsBetween(Math.max(start, firstSlot(call)), Math.min(end, newest));
  },

  getBlocksWithLimit(call) {
    const newest = atLeastConfirmed(call, call.config(2));
    const limit = call.unsigned(1);
    if (limit > MOST_BLOCKS) throw invalidParams(`Limit too large; max ${MOST_BLOCKS}`);
    const start = Math.max(call.unsigned(0), firstSlot(call));
    return slotsBetween(start, Math.min(start + limit - 1, newest));
  },

  getFirstAvailableBlock: firstSlot,

  minimumLedgerSlot: firstSlot,
};

function firstSlot(call: RpcCall): number {
  return call.chain.genesis.origin.slot;
}

function slotsBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function block(call: RpcCall, slot: number, config: Config): Record<string, unknown> {
  const { clock, blockhashes, ledger } = call.chain;
  const blockHeight = clock.heightAt(slot);
  return {
    blockHeight,
    blockTime: Math.floor(clock.slotTimeMs(slot) / 1000),
    blockhash: keyText(blockhashes.at(blockHeight)),
    parentSlot: slot - 1,
    previousBlockhash: keyText(blockhashes.at(clock.heightAt(slot - 1))),
    ...transactionsOf(call, ledger.inSlot(slot), config),
    ...(config['rewards'] === false ? {} : { rewards: [] }),
  };
}

function transactionsOf(call: RpcCall, landed: readonly Landed[], config: Config): Record<string, unknown> {
  const details = config['transactionDetails'] ?? 'full';
  switch (details) {
    case 'none':
      return {};
    case 'signatures':
      return { signatures: landed.map(({ signature }) => keyText(signature)) };
    case 'full':
      return { transactions: landed.map((each) => encodeInBlock(each, call.chain, config)) };
    case 'accounts':
      return { transactions: landed.map((each) => encodeAccounts(each, call.chain, config)) };
    default:
      throw invalidParams(
        `unknown variant \`${JSON.stringify(details)}\`, expected full, accounts, signatures or none`,
      );
  }
}
