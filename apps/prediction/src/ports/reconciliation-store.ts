import type { AccountKind } from '../domain/ledger/line.js';

/** The mark of a location without any entry. */
export const NO_ENTRY = '0';

/** The state of the ledger at one moment. Money in micro-dollars, contracts in hundredths. */
export interface LedgerSnapshot {
  /**
   * The last entries that changed the treasury and the exchange's account, or `NO_ENTRY`: while equal, nothing was posted.
   */
  readonly treasuryMark: string;
  readonly exchangeMark: string;
  readonly accounts: readonly AccountTotal[];
  /** Contracts of each market, yes positive, that the exchange's account should hold. */
  readonly positions: ReadonlyMap<string, bigint>;
  /** Contracts of orders that may be placed, or whose fills are not all posted, by market. */
  readonly openOrders: ReadonlyMap<string, bigint>;
  /** Escrows that may be on their way to the treasury, or there, and are not posted. */
  readonly expectedEscrowsUsdMicros: bigint;
  /** Unix milliseconds, by the exchange's clock, of the last fill that is posted; 0 for none. */
  readonly lastFillAtMs: number;
  readonly openOperations: number;
  readonly ordersHaltedReason: string | undefined;
}

/** All accounts of a kind. */
interface AccountTotal {
  readonly kind: AccountKind;
  readonly balanceUsdMicros: bigint;
}

/** Differences by what was compared: `treasury`, `exchange`, `position:<ticker>`; what the source has more is positive. */
export type Unexplained = ReadonlyMap<string, bigint>;

/** The differences that the last comparison could not explain. */
export interface LastComparison {
  readonly round: bigint;
  readonly unexplained: Unexplained;
}

/** The effect of a comparison on the ledger. */
export interface ComparisonResult {
  /** The comparison that it follows: it is written only when no other was in between. */
  readonly after: bigint;
  /** Whether everything was compared. */
  readonly isComplete: boolean;
  readonly unexplained: Unexplained;
  /** Money that no operation explains, seen twice: it goes to suspense. */
  readonly surplus: LocationAmounts;
  /** Money that is missing, seen twice, and the contracts that differ. */
  readonly shortage: LocationAmounts;
  /** Reason to stop orders; undefined when nothing is missing. */
  readonly stopBecause: string | undefined;
}

/** Micro-dollars at each location; never negative. */
export interface LocationAmounts {
  readonly treasury: bigint;
  readonly exchange: bigint;
}

/** The operator who acts by hand, and the reason. */
export interface OperatorNote {
  readonly operator: string;
  readonly reason: string;
}

/** The ledger's methods for reconciliation. */
export interface ReconciliationStore {
  picture(): Promise<LedgerSnapshot>;
  last(): Promise<LastComparison>;
  /** @returns whether it was written, and whether that has stopped the orders */
  conclude(result: ComparisonResult): Promise<{ readonly written: boolean; readonly stopped: boolean }>;
  /**
   * Posts money in suspense as the operator's; all of it for an amount of 0.
   * @returns how much
   * @throws AppError INSUFFICIENT_FUNDS when there is less
   */
  attributeFunds(location: keyof LocationAmounts, amountUsdMicros: bigint, note: OperatorNote): Promise<bigint>;
  /**
   * Ends a stop. What was found missing is taken from the operator's own money in the ledger, so that the same shortage
   * does not stop orders again.
   * @returns whether there was one
   */
  resumeOrders(note: OperatorNote): Promise<boolean>;
}
