import {
  COMPUTE_BUDGET_PROGRAM,
  MAX_COMPUTE_UNITS,
  networkFee,
  readComputeUnitLimit,
  readComputeUnitPrice,
  SYSTEM_PROGRAM,
} from '@agent-wallet/solana/checks';
import { JUPITER_PROGRAM, ORDER_ENGINE_PROGRAM, PROGRAM_AUTHORITIES } from '../programs.js';
import { readRouteInstruction, type RouteInstruction } from './route-instruction.js';
import { refuse, type SwapInstruction, type SwapMessage } from './swap-message.js';

/** The instructions of a swap's message, by what they are for. */
export interface Trade {
  /** Network fee of all signers together, in lamports. */
  readonly networkFee: bigint;
  /** Neither compute budget nor the trade itself. */
  readonly before: readonly SwapInstruction[];
  readonly route: RouteInstruction;
  readonly after: readonly SwapInstruction[];
}

const SYSTEM_TRANSFER = 2;

/**
 * Finds the one trade of a message, and its compute budget.
 *
 * Rule: exactly one instruction of the aggregator or the order engine, in a form whose terms can be read. It stops a
 * second trade at terms of its own, and the aggregator's instructions that are not a trade (token ledgers, claims).
 * @throws MessageRefused `route`, `instruction`, `network_fee`
 */
export function readTrade(message: SwapMessage): Trade {
  const { instructions } = message;
  const trades = instructions.filter(isTrade);
  if (trades.length !== 1) refuse('route', `There are ${trades.length} trades in the message, not one.`);
  const at = instructions.indexOf(trades[0]!);
  const [before, after] = [instructions.slice(0, at), instructions.slice(at + 1)];
  return {
    networkFee: networkFeeOf(message.signers.length, before.filter(isComputeBudget)),
    before: before.filter((instruction) => !isComputeBudget(instruction)),
    route: readRouteInstruction(trades[0]!),
    after,
  };
}

const isTrade = ({ program }: SwapInstruction): boolean =>
  program === JUPITER_PROGRAM || program === ORDER_ENGINE_PROGRAM;

const isComputeBudget = ({ program }: SwapInstruction): boolean => program === COMPUTE_BUDGET_PROGRAM;

/**
 * Computes the network fee. Requires one limit of compute units, at most one price, nothing else of that program, and
 * all of it before the trade. This stops an unbounded priority fee: a price without a limit, or a second price that
 * would count instead.
 */
function networkFeeOf(signatures: number, budget: readonly SwapInstruction[]): bigint {
  let limit: number | undefined;
  let price: bigint | undefined;
  for (const { accounts, data } of budget) {
    if (accounts.length > 0) refuse('instruction', 'An instruction of the compute budget has accounts.');
    const [units, microLamports] = [readComputeUnitLimit(data), readComputeUnitPrice(data)];
    if (units !== undefined && limit === undefined) limit = units;
    else if (microLamports !== undefined && price === undefined) price = microLamports;
    else refuse('instruction', 'The compute budget is set twice, or in a way that is not known.');
  }
  if (limit === undefined) refuse('network_fee', 'The message sets no limit of compute units.');
  if (limit > MAX_COMPUTE_UNITS) refuse('network_fee', 'The limit of compute units is higher than the chain allows.');
  return networkFee(signatures, { computeUnitLimit: limit, computeUnitPriceMicroLamports: price ?? 0n });
}

/** Lamports that a transfer of the System program moves; undefined for any other instruction. */
function lamportsMoved({ program, accounts, data }: SwapInstruction): bigint | undefined {
  const isTransfer = data.length === 12 && data.readUInt32LE(0) === SYSTEM_TRANSFER;
  return program === SYSTEM_PROGRAM && accounts.length === 2 && isTransfer ? data.readBigUInt64LE(4) : undefined;
}

/** Lamports of a payment to one of the aggregator's tip receivers; undefined for any other instruction. */
export function tipOf(instruction: SwapInstruction): bigint | undefined {
  return PROGRAM_AUTHORITIES.includes(instruction.accounts[1]!) ? lamportsMoved(instruction) : undefined;
}

/** Returns the lamports of a transfer to an address after the trade; undefined without one. */
export function lamportsSentTo(address: string, { after }: Trade): bigint | undefined {
  const sent = after.filter(({ accounts }) => accounts[1] === address);
  return sent.map(lamportsMoved).find((lamports) => lamports !== undefined);
}

/** Returns the lamports of network fee and tips that the taker pays, or its sponsor. In a fill the maker is the payer. */
export function networkLamportsOf({ networkFee: fee, before, after, route }: Trade): bigint {
  const tips = [...before, ...after].reduce((sum, instruction) => sum + (tipOf(instruction) ?? 0n), 0n);
  return tips + (route.form === 'fill' ? 0n : fee);
}
