import { outputOf, type Path, type PathResult, runPath } from './path.js';
import type { Arrival } from './transfer-fee.js';

const WHOLE_BPS = 10_000;
const PARTS = 20;
const BPS_A_PART = WHOLE_BPS / PARTS;
/** A split has to bring that much more for each further path, in hundredths of a percent. */
const GAIN_BPS_A_PATH = 1n;

/** A path with its share of the input. `paid` leaves the wallet, `result.inAmount` reaches the first vault. */
export interface Share {
  readonly bps: number;
  readonly paid: bigint;
  readonly result: PathResult;
}

/** Divides an input among at most `most` paths, which share no pool, so that most comes out; undefined without a path. */
export function bestSplit(
  paths: readonly Path[],
  inAmount: bigint,
  arrival: Arrival,
  most: number,
): readonly Share[] | undefined {
  const sorted = paths
    .map((path) => ({ path, output: outputOf(runPath(path, arrival(inAmount))) }))
    .sort((one, other) => Number(other.output - one.output))
    .map(({ path }) => path);
  let best: readonly Share[] | undefined;
  for (let count = 1; count <= Math.min(most, sorted.length); count++) {
    const shares = divide(sorted.slice(0, count), inAmount, arrival);
    if (!best || isWorthIt(shares, best)) best = shares;
  }
  return best;
}

function isWorthIt(shares: readonly Share[], best: readonly Share[]): boolean {
  const further = BigInt(shares.length - best.length);
  const wanted = total(best) * (BigInt(WHOLE_BPS) + GAIN_BPS_A_PATH * further);
  return total(shares) * BigInt(WHOLE_BPS) > wanted;
}

/** What comes out of all paths. */
function total(shares: readonly Share[]): bigint {
  return shares.reduce((sum, { result }) => sum + outputOf(result), 0n);
}

/** Gives each part of the input to the path that pays most for it; pools pay less and less, so this is the best. */
function divide(paths: readonly Path[], inAmount: bigint, arrival: Arrival): Share[] {
  const amountOf = (parts: number) => (inAmount * BigInt(parts)) / BigInt(PARTS);
  const outputAt = (path: Path, parts: number) => outputOf(runPath(path, arrival(amountOf(parts))));
  const states = paths.map((path) => ({ path, parts: 0, output: 0n, next: outputAt(path, 1) }));
  for (let part = 0; part < PARTS; part++) {
    const chosen = states.reduce((a, b) => (b.next - b.output > a.next - a.output ? b : a));
    chosen.parts += 1;
    chosen.output = chosen.next;
    chosen.next = outputAt(chosen.path, chosen.parts + 1);
  }
  return toShares(
    states.filter(({ parts }) => parts > 0),
    inAmount,
    arrival,
  );
}

/** The last share takes what rounding left, as on the chain. */
function toShares(states: ReadonlyArray<{ path: Path; parts: number }>, inAmount: bigint, arrival: Arrival): Share[] {
  let left = inAmount;
  return states.map(({ path, parts }, index) => {
    const bps = parts * BPS_A_PART;
    const paid = index === states.length - 1 ? left : (inAmount * BigInt(bps)) / BigInt(WHOLE_BPS);
    left -= paid;
    return { bps, paid, result: runPath(path, arrival(paid)) };
  });
}
