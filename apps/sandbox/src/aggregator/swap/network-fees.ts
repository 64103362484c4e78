import { ComputeBudgetProgram, SystemProgram, PublicKey } from '@solana/web3.js';
import { createHash } from 'node:crypto';
import type { Key } from '../../encoding/keys.js';
import { publicKey } from '../../tokens/token-accounts.js';
import type { Part } from './draft.js';
import type { OrderQuery } from './order-query.js';

export const SIGNATURE_LAMPORTS = 5_000n;

const ROUTER_PROGRAM = new PublicKey('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4');
export const TIP_RECEIVERS = Array.from(
  { length: 16 },
  (_, id) => PublicKey.findProgramAddressSync([Buffer.from('authority'), Buffer.of(id)], ROUTER_PROGRAM)[0],
);

const MOST_UNITS = 1_400_000;
/** Limits differ from order to order, so that two like orders in one block are not one transaction. */
const UNIT_STEPS = 100_000;
const LEAST_PRIORITY_LAMPORTS = 5_000n;
const PRIORITY_RANGE_LAMPORTS = 45_000n;
const MICRO_LAMPORTS = 1_000_000n;

/** What a transaction offers the network besides its signatures. */
export interface NetworkFees {
  readonly units: number;
  readonly microLamportsPerUnit: bigint;
  readonly priorityLamports: bigint;
  readonly tipLamports: bigint;
  readonly tipReceiver: PublicKey;
}

/** Picks each order's fees: the caller's, else a bounded guess that follows from the world's seed and the count. */
export class FeeSchedule {
  private count: number;

  constructor(
    private readonly seed: Buffer,
    firstCount: number,
  ) {
    this.count = firstCount;
  }

  next({
    priorityFeeLamports,
    jitoTipLamports,
  }: Pick<OrderQuery, 'priorityFeeLamports' | 'jitoTipLamports'>): NetworkFees {
    this.count += 1;
    const digest = createHash('sha256').update(this.seed).update(`fees/${this.count}`).digest();
    const guess = LEAST_PRIORITY_LAMPORTS + (digest.readBigUInt64LE(0) % PRIORITY_RANGE_LAMPORTS);
    const units = MOST_UNITS - (this.count % UNIT_STEPS);
    const microLamportsPerUnit = ((priorityFeeLamports ?? guess) * MICRO_LAMPORTS) / BigInt(units);
    return {
      units,
      microLamportsPerUnit,
      priorityLamports: (microLamportsPerUnit * BigInt(units) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS,
      tipLamports: jitoTipLamports ?? 0n,
      tipReceiver: TIP_RECEIVERS[digest[8]! % TIP_RECEIVERS.length]!,
    };
  }
}

/** The compute budget a transaction asks for. */
export function budgetParts({ units, microLamportsPerUnit }: NetworkFees): Part[] {
  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units });
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: microLamportsPerUnit });
  return [limit, price].map((instruction) => ({ role: 'budget', instruction }));
}

/** The tip, where one was asked for. */
export function tipParts({ tipLamports, tipReceiver }: NetworkFees, from: Key): Part[] {
  if (tipLamports === 0n) return [];
  const fromPubkey = publicKey(from);
  const transfer = SystemProgram.transfer({ fromPubkey, toPubkey: tipReceiver, lamports: tipLamports });
  return [{ role: 'tip', instruction: transfer }];
}
