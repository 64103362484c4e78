import { AppError } from '@agent-wallet/kernel';
import type { ComparisonBooks, OperatorNote, PlaceAmounts } from '../../ports/comparison-books.js';
import type { Findings } from '../reconciliation/compare-books.js';
import type { WatchBooks } from '../reconciliation/watch-books.js';

/** The provider of the bookkeeping. */
export const BOOKKEEPING = Symbol('Bookkeeping');

/** What the people who run the service do with the books. */
export class Bookkeeping {
  constructor(
    private readonly watch: Pick<WatchBooks, 'look'>,
    private readonly books: Pick<ComparisonBooks, 'attributeFunds' | 'resumeOrders'>,
  ) {}

  /** Compares the books with the outside; nothing is changed by it. */
  reconcile(): Promise<Findings> {
    return this.watch.look();
  }

  /**
   * Says that money in suspense is the operator's; all that is there for an amount of 0.
   * @returns how much, in micro-dollars
   * @throws AppError VALIDATION_ERROR, INSUFFICIENT_FUNDS
   */
  attributeFunds(place: string, amountUsdMicros: bigint, note: OperatorNote): Promise<bigint> {
    assertNote(note);
    return this.books.attributeFunds(placeOf(place), amountUsdMicros, note);
  }

  /** Lets orders be placed again. @returns whether they were stopped */
  resumeOrders(note: OperatorNote): Promise<boolean> {
    assertNote(note);
    return this.books.resumeOrders(note);
  }
}

function placeOf(putative: string): keyof PlaceAmounts {
  if (putative === 'treasury' || putative === 'exchange') return putative;
  throw AppError.field('place', 'must be treasury or exchange');
}

function assertNote({ operator, reason }: OperatorNote): void {
  if (!operator.trim()) throw AppError.field('operator', 'is needed');
  if (!reason.trim()) throw AppError.field('reason', 'is needed');
}
