/** A bucket's size, in tokens. */
interface BucketTerms {
  readonly refillPerSecond: number;
  readonly capacity: number;
}

/** What a usage tier may do. */
export interface Tier {
  readonly name: string;
  readonly read: BucketTerms;
  readonly write: BucketTerms;
}

const DEFAULT_COST = 10;

/** Calls that cost other than the default. */
const COSTS: ReadonlyArray<{ readonly method: string; readonly path: string; readonly cost: number }> = [
  { method: 'DELETE', path: '/trade-api/v2/portfolio/events/orders/{order_id}', cost: 2 },
];

/** The tier of a new account: 20 reads and 10 orders a second. */
export const BASIC: Tier = {
  name: 'basic',
  read: { refillPerSecond: 200, capacity: 200 },
  write: { refillPerSecond: 100, capacity: 100 },
};

/** As `GET /account/limits` answers it. */
export function limitsJson({ name, read, write }: Tier): unknown {
  const bucket = ({ refillPerSecond, capacity }: BucketTerms) => ({
    refill_rate: refillPerSecond,
    bucket_capacity: capacity,
  });
  return { usage_tier: name, read: bucket(read), write: bucket(write), grants: [] };
}

/** As `GET /account/endpoint_costs` answers it. */
export function costsJson(): unknown {
  return { default_cost: DEFAULT_COST, endpoint_costs: COSTS };
}

/** What a call costs. @param path with the API's prefix */
export function costOf(method: string, path: string): number {
  const parts = path.split('/');
  const listed = COSTS.find((each) => {
    const wanted = each.path.split('/');
    return (
      each.method === method &&
      parts.length === wanted.length &&
      wanted.every((part, i) => part.startsWith('{') || part === parts[i])
    );
  });
  return listed?.cost ?? DEFAULT_COST;
}

/** Tokens that come back with time. */
export class TokenBucket {
  private tokens: number;
  private filledMs: number;

  constructor(
    private readonly terms: BucketTerms,
    nowMs: number,
  ) {
    this.tokens = terms.capacity;
    this.filledMs = nowMs;
  }

  /** Takes tokens if there are enough; a refused call costs nothing. */
  take(cost: number, nowMs: number): boolean {
    const { refillPerSecond, capacity } = this.terms;
    const back = (Math.max(0, nowMs - this.filledMs) * refillPerSecond) / 1_000;
    this.tokens = Math.min(capacity, this.tokens + back);
    this.filledMs = Math.max(this.filledMs, nowMs);
    if (this.tokens < cost) return false;
    this.tokens -= cost;
    return true;
  }
}
