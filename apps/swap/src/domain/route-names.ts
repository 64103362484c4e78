/** A leg of a route, as the order describes it. */
interface Leg {
  readonly swapInfo: { readonly label: string };
  readonly bps: number;
}

const MAX_VENUES = 20;
const MAX_NAME_LENGTH = 40;
/** Names, and nothing that could pass for more. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._()/+-]*$/u;

/** Names of the venues, the largest share first, each once. */
export function routeNames(legs: readonly Leg[]): readonly string[] {
  const shares = new Map<string, number>();
  for (const { swapInfo, bps } of legs) {
    const name = nameOf(swapInfo.label);
    shares.set(name, (shares.get(name) ?? 0) + (Number.isFinite(bps) ? bps : 0));
  }
  return [...shares]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_VENUES)
    .map(([name]) => name);
}

function nameOf(label: string): string {
  return label.length <= MAX_NAME_LENGTH && NAME.test(label) ? label : 'unnamed venue';
}
