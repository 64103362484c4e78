import { AppError, formatAmount, newId, NIL_UUID, USD_DECIMALS } from '@agent-wallet/kernel';
import type { Outbox } from '@agent-wallet/events';
import type { Database, Queryable } from '@agent-wallet/platform';
import { entryOf, line } from '../../domain/ledger/line.js';
import type {
  LedgerSnapshot,
  ReconciliationStore,
  ComparisonResult,
  LastComparison,
  OperatorNote,
  LocationAmounts,
} from '../../ports/reconciliation-store.js';
import { readPicture } from './ledger-snapshot.js';
import { isOverdrawn, post } from './journal.js';

/** The reconciliation of the ledger with chain and exchange, in the schema `prediction`. */
export class PostgresReconciliationStore implements ReconciliationStore {
  constructor(
    private readonly database: Pick<Database, 'pool' | 'transaction'>,
    private readonly outbox: Outbox,
  ) {}

  picture(): Promise<LedgerSnapshot> {
    return this.database.transaction(readPicture);
  }

  async last(): Promise<LastComparison> {
    const sql = 'select round, unexplained from last_reconciliation';
    const { rows } = await this.database.pool.query<{ round: string; unexplained: Record<string, string> }>(sql);
    const { round, unexplained } = rows[0]!;
    return {
      round: BigInt(round),
      unexplained: new Map(Object.entries(unexplained).map(([what, amount]) => [what, BigInt(amount)])),
    };
  }

  conclude(result: ComparisonResult): Promise<{ written: boolean; stopped: boolean }> {
    return this.database.transaction(async (tx) => {
      // Two copies that compare at once have seen the same surplus: it is posted by one of them.
      const unexplained = Object.fromEntries(
        [...result.unexplained].map(([what, amount]) => [what, amount.toString()]),
      );
      const sql = 'update last_reconciliation set round = round + 1, unexplained = $2 where round = $1';
      const { rowCount } = await tx.query(sql, [result.after, JSON.stringify(unexplained)]);
      if (rowCount === 0) return { written: false, stopped: false };
      await postSurplus(tx, result);
      return { written: true, stopped: await this.#stop(tx, result) };
    });
  }

  async #stop(tx: Queryable, { stopBecause, shortage, isComplete }: ComparisonResult): Promise<boolean> {
    const { treasury, exchange } = shortage;
    if (stopBecause || isComplete) {
      const sql = `update order_halts set reason = coalesce($1, reason), treasury_usd_micros = $2, exchange_usd_micros = $3
        where ended_at is null`;
      const { rowCount } = await tx.query(sql, [stopBecause ?? null, treasury, exchange]);
      if (rowCount !== 0) return false;
    }
    if (!stopBecause) return false;
    const sql = 'insert into order_halts (reason, treasury_usd_micros, exchange_usd_micros) values ($1, $2, $3)';
    await tx.query(sql, [stopBecause, treasury, exchange]);
    return true;
  }

  attributeFunds(location: keyof LocationAmounts, amountUsdMicros: bigint, note: OperatorNote): Promise<bigint> {
    const kind = `suspense_${location}` as const;
    return this.database.transaction(async (tx) => {
      const sql = 'select coalesce(-sum(balance), 0)::bigint as held from accounts where kind = $1';
      const { rows } = await tx.query<{ held: string }>(sql, [kind]);
      const held = BigInt(rows[0]!.held);
      const amount = amountUsdMicros === 0n ? held : amountUsdMicros;
      if (amount === 0n) return 0n;
      const lines = [line(kind, amount), line('operator_float', -amount)];
      await post(tx, { key: `attribute:${newId()}`, kind: 'funds_attributed', lines }).catch((error: unknown) => {
        throw isOverdrawn(error) ? insufficientSuspense(amount, held, error) : error;
      });
      await this.#audit(tx, 'attribute_funds', note);
      return amount;
    });
  }

  resumeOrders(note: OperatorNote): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ id: string; treasury: string; exchange: string }>(
        `update order_halts set ended_at = clock_timestamp() where ended_at is null
         returning id, treasury_usd_micros as treasury, exchange_usd_micros as exchange`,
      );
      const stop = rows[0];
      if (!stop) return false;
      const [treasury, exchange] = [BigInt(stop.treasury), BigInt(stop.exchange)];
      const lines = entryOf([
        line('operator_float', treasury + exchange),
        line('exchange_cash', -exchange),
        line('treasury_usdc', -treasury),
      ]);
      if (lines.length > 0) await post(tx, { key: `stop:${stop.id}`, kind: 'shortage_accepted', lines });
      await this.#audit(tx, 'resume_orders', note);
      return true;
    });
  }

  async #audit(tx: Queryable, action: string, { operator, reason }: OperatorNote): Promise<void> {
    const value = { operator, action, reason, operationId: '' };
    await this.outbox.write(tx, NIL_UUID, { $case: 'operatorActed', value });
  }
}

function insufficientSuspense(amount: bigint, held: bigint, cause: unknown): AppError {
  const [needed, available] = [amount, held].map((each) => formatAmount(each, USD_DECIMALS));
  const message = `Insufficient funds in suspense: ${needed} USD requested, ${available} USD available. Attribute less.`;
  return new AppError('INSUFFICIENT_FUNDS', { message, cause });
}

async function postSurplus(tx: Queryable, { after, surplus: { treasury, exchange } }: ComparisonResult): Promise<void> {
  const lines = entryOf([
    line('suspense_treasury', -treasury),
    line('suspense_exchange', -exchange),
    line('exchange_cash', exchange),
    line('treasury_usdc', treasury),
  ]);
  if (lines.length > 0) await post(tx, { key: `surplus:${after}`, kind: 'surplus', lines });
}
