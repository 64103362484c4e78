import { createHash } from 'node:crypto';

const KNOT_MS = 60_000;
const FINE_KNOT_MS = 7_000;

/**
 * A random walk as a pure function of seed, name and time, −1 … 1: between hashed knots it moves in a straight line,
 * so that every step is small, and nothing has to be remembered over a restart.
 */
export function walk(seed: Buffer, name: string, timeMs: number): number {
  return (
    0.8 * between(seed, `${name}/coarse`, timeMs / KNOT_MS) + 0.2 * between(seed, `${name}/fine`, timeMs / FINE_KNOT_MS)
  );
}

function between(seed: Buffer, name: string, at: number): number {
  const knot = Math.floor(at);
  const share = at - knot;
  return knotValue(seed, name, knot) * (1 - share) + knotValue(seed, name, knot + 1) * share;
}

function knotValue(seed: Buffer, name: string, knot: number): number {
  const digest = createHash('sha256').update(seed).update(`${name}/${knot}`).digest();
  return (digest.readUInt32LE(0) / 0xffffffff) * 2 - 1;
}
