import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import type { ReconciliationStore, OperatorNote, LocationAmounts } from '../../ports/reconciliation-store.js';
import type { AbandonedOrderStore } from '../../ports/abandoned-order-store.js';
import type { Findings } from '../reconciliation/reconcile-ledger.js';
import type { WatchLedger } from '../reconciliation/watch-ledger.js';

/** Reason that an operation's order cannot be abandoned. */
const NOT_WAITED_FOR =
  'is not an open operation whose order the exchange confirmed and never showed: `operations get` says what it waits for';

/** The operator's commands on the ledger. */
export class LedgerAdministration {
  constructor(
    private readonly watch: Pick<WatchLedger, 'look'>,
    private readonly ledger: Pick<ReconciliationStore, 'attributeFunds' | 'resumeOrders'>,
    private readonly abandoned: Pick<AbandonedOrderStore, 'abandon'>,
    private readonly logger: Logger,
  ) {}

  /** Reconciles the ledger with chain and exchange; changes nothing. */
  reconcile(): Promise<Findings> {
    return this.watch.look();
  }

  /**
   * Says that money in suspense is the operator's; all that is there for an amount of 0.
   * @returns how much, in micro-dollars
   * @throws AppError VALIDATION_ERROR, INSUFFICIENT_FUNDS
   */
  async attributeFunds(location: string, amountUsdMicros: bigint, note: OperatorNote): Promise<bigint> {
    assertNote(note);
    const attributed = await this.ledger.attributeFunds(locationOf(location), amountUsdMicros, note);
    const fields = { event: 'funds.attributed', location, usdMicros: attributed.toString() } as const;
    if (attributed > 0n) this.logger.info(fields, 'Suspense funds attributed to the operator');
    return attributed;
  }

  /** Lets orders be placed again. @returns whether they were stopped */
  resumeOrders(note: OperatorNote): Promise<boolean> {
    assertNote(note);
    return this.ledger.resumeOrders(note);
  }

  /**
   * Declares that an order does not exist which the exchange said it has and never showed.
   * @returns whether it was not abandoned before
   * @throws AppError VALIDATION_ERROR for any other operation
   */
  async abandonOrder(operationId: string, note: OperatorNote): Promise<boolean> {
    assertNote(note);
    assertUuid('operationId', operationId);
    const result = await this.abandoned.abandon(operationId, note);
    if (result === 'no_such_order') throw AppError.field('operationId', NOT_WAITED_FOR);
    return result === 'abandoned';
  }
}

function locationOf(putative: string): keyof LocationAmounts {
  if (putative === 'treasury' || putative === 'exchange') return putative;
  throw AppError.field('location', 'must be treasury or exchange');
}

function assertNote({ operator, reason }: OperatorNote): void {
  if (!operator.trim()) throw AppError.field('operator', 'must not be empty');
  if (!reason.trim()) throw AppError.field('reason', 'must not be empty');
}
