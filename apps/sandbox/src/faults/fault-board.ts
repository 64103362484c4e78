import type { Journal } from '../journal/journal.js';
import { RecordType } from '../journal/record-types.js';

/** The faults each part knows. */
export const FAULTS = {
  chain: ['drop', 'delay', 'landThenFailReply', 'lagStatus', 'error429', 'error500', 'expireBlockhash', 'rollback'],
  aggregator: [
    'error429',
    'error500',
    'timeoutAfterLanding',
    'failedToLand',
    'slippage',
    'noRoute',
    'maliciousTransaction',
  ],
  exchange: [
    'error429',
    'error500',
    'errorAfterAccept',
    'dropAfterAccept',
    'delay',
    'partialFill',
    'rejectOrder',
    'lagPortfolio',
    'duplicateSettlement',
  ],
  liquidity: ['error429', 'error500', 'timeout', 'delay', 'fakePool', 'wrongKeys', 'lyingTvl'],
  mail: ['reject', 'defer', 'delay'],
} as const;

/** What a malicious transaction does besides the swap, or instead of it. */
export const MALICIOUS_KINDS = [
  'extraTransfer',
  'setAuthority',
  'approveDelegate',
  'swappedDestination',
  'unknownLookupTable',
  'higherInput',
] as const;

export type MaliciousKind = (typeof MALICIOUS_KINDS)[number];

export type FaultPart = keyof typeof FAULTS;

/** What a fault acts on; a name left out matches everything. */
export interface FaultMatch {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly address?: string | undefined;
  /** A market of the exchange. */
  readonly ticker?: string | undefined;
  /** Which malicious transaction; no matter of where the fault acts. */
  readonly kind?: MaliciousKind | undefined;
}

/** A fault as it was asked for. */
interface FaultOrder {
  readonly part: FaultPart;
  readonly fault: string;
  /** How many matching calls or transactions it acts on. */
  readonly times: number;
  readonly match: FaultMatch;
  /** How long a delay is, how old lagging reads are, or how far away the reset of a refused call is. */
  readonly delayMs: number;
}

/** A fault with the number of times it has acted. */
export interface ArmedFault extends FaultOrder {
  readonly used: number;
}

/** What happens now, for a fault to match. */
export interface FaultSubject {
  /** Whether a fault acts here that names neither method nor path. */
  readonly byDefault: boolean;
  readonly method?: string;
  readonly path?: string;
  /** Asked only when a fault names an address. */
  readonly addresses?: () => ReadonlySet<string>;
  /** The markets it is about; asked only when a fault names one. */
  readonly tickers?: () => ReadonlySet<string>;
}

type FaultRecord = { arm: FaultOrder } | { use: number } | { clear: true };

/** The faults that are armed. Each acts on its next matching events and then stays listed, spent. */
export class FaultBoard {
  private faults: Array<FaultOrder & { used: number }> = [];

  constructor(private readonly journal: Journal) {}

  /** Takes back what was recorded before. */
  replay(payload: Buffer): void {
    this.apply(JSON.parse(payload.toString()) as FaultRecord);
  }

  arm(order: FaultOrder): void {
    this.record({ arm: order });
  }

  /** Every fault since the last clearing, spent ones too. */
  list(): readonly ArmedFault[] {
    return this.faults;
  }

  /** Disarms all. */
  clear(): void {
    this.record({ clear: true });
  }

  /** Uses up one of the first armed fault of this name that matches; undefined when none does. */
  take(part: FaultPart, fault: string, subject: FaultSubject): ArmedFault | undefined {
    if (this.faults.length === 0) return undefined;
    const index = this.faults.findIndex(
      (f) => f.part === part && f.fault === fault && f.used < f.times && matches(f.match, subject),
    );
    if (index < 0) return undefined;
    this.record({ use: index });
    return this.faults[index];
  }

  private record(record: FaultRecord): void {
    this.journal.append(RecordType.fault, Buffer.from(JSON.stringify(record)));
    this.apply(record);
  }

  private apply(record: FaultRecord): void {
    if ('arm' in record) this.faults.push({ ...record.arm, used: 0 });
    else if ('use' in record) this.faults[record.use]!.used += 1;
    else this.faults = [];
  }
}

function matches(match: FaultMatch, subject: FaultSubject): boolean {
  if (!subject.byDefault && match.method === undefined && match.path === undefined) return false;
  if (match.method !== undefined && match.method !== subject.method) return false;
  if (match.path !== undefined && match.path !== subject.path) return false;
  if (match.address !== undefined && !subject.addresses?.().has(match.address)) return false;
  return match.ticker === undefined || (subject.tickers?.().has(match.ticker) ?? false);
}
