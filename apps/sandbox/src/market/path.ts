import type { Key } from '../encoding/keys.js';
import type { Pool, Reserves } from './pool.js';

const WHOLE_BPS = 10_000n;

/** A pool in the direction in which a path goes through it, as it stands. */
export interface Hop {
  readonly pool: Pool;
  readonly inputMint: Key;
  readonly outputMint: Key;
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
}

/** Hops one behind the other: what one pays the next takes. */
export type Path = readonly Hop[];

/** What each hop of a path pays for an input. */
export interface PathResult {
  readonly path: Path;
  readonly inAmount: bigint;
  /** One for each hop; the last is the path's output. */
  readonly outputs: readonly bigint[];
}

/** A pool as a hop from one of its tokens. */
export function hopOf(pool: Pool, { a, b }: Reserves, inputMint: Key): Hop {
  const isA = inputMint === pool.mintA;
  return isA
    ? { pool, inputMint, outputMint: pool.mintB, reserveIn: a, reserveOut: b }
    : { pool, inputMint, outputMint: pool.mintA, reserveIn: b, reserveOut: a };
}

/** What a pool pays for what reaches its vault, rounded as `programs/aggregator.c` rounds. */
export function hopOutput({ pool, reserveIn, reserveOut }: Hop, inAmount: bigint): bigint {
  const net = (inAmount * (WHOLE_BPS - BigInt(pool.venue.feeBps))) / WHOLE_BPS;
  return (reserveOut * net) / (reserveIn + net);
}

/** Sends an amount that reached the first vault through a path. */
export function runPath(path: Path, inAmount: bigint): PathResult {
  const outputs: bigint[] = [];
  for (const hop of path) outputs.push(hopOutput(hop, outputs.at(-1) ?? inAmount));
  return { path, inAmount, outputs };
}

/** What a path pays in the end. */
export function outputOf({ outputs }: PathResult): bigint {
  return outputs.at(-1)!;
}

/** What a path would pay if the trade moved no price, after the pools' fees. */
export function unmovedOutput({ path, inAmount }: PathResult): number {
  return path.reduce((amount, { pool, reserveIn, reserveOut }) => {
    const kept = 1 - pool.venue.feeBps / Number(WHOLE_BPS);
    return (amount * kept * Number(reserveOut)) / Number(reserveIn);
  }, Number(inAmount));
}
