/** The changes of balances that a preview promised, and how far they may be missed. */
export interface Quote {
  readonly slippageBps: number;
  /** Signed base units by mint; of the native coin under `native`. */
  readonly changes: Readonly<Record<string, string>>;
}

interface Preview {
  readonly slippageBps?: number | null;
  readonly balanceChanges: ReadonlyArray<{ readonly mint: string | null; readonly amountRaw: string }>;
}

/** Tolerance of actions that name none, such as orders of contracts. */
const USUAL_SLIPPAGE_BPS = 100;
/** Lamports by which the network's fee may rise. */
const FEE_SLACK = 100_000n;
const NATIVE = 'native';

/** Returns the quote of a dry run, as JSON text; undefined for one without changes. */
export function quoteOf(previewJson: string): Quote | undefined {
  const { slippageBps, balanceChanges } = JSON.parse(previewJson) as Preview;
  if (balanceChanges.length === 0) return undefined;
  const changes = Object.fromEntries(balanceChanges.map(({ mint, amountRaw }) => [mint ?? NATIVE, amountRaw]));
  return { slippageBps: slippageBps ?? USUAL_SLIPPAGE_BPS, changes };
}

/** Reports whether a quote is worse than an earlier one by more than that one tolerates. */
export function isWorse(now: Quote, earlier: Quote): boolean {
  const mints = new Set([...Object.keys(earlier.changes), ...Object.keys(now.changes)]);
  return [...mints].some((mint) => {
    const promised = BigInt(earlier.changes[mint] ?? 0);
    const size = promised < 0n ? -promised : promised;
    const tolerated = (size * BigInt(earlier.slippageBps)) / 10_000n + (mint === NATIVE ? FEE_SLACK : 0n);
    return BigInt(now.changes[mint] ?? 0) < promised - tolerated;
  });
}
