import { AppError } from '@agent-wallet/kernel';
import { databaseError, isDatabaseUnavailable } from '@agent-wallet/platform';
import type { TransactionRecord, TransactionStatus } from '../domain/transaction-record.js';
import { Prisma, type PrismaClient, type Transaction } from '../generated/prisma/client.js';
import type { Page, PageQuery, TransactionIndex } from '../ports/transaction-index.js';

/** The table `transactions`, read through Prisma. */
export class PrismaTransactionIndex implements TransactionIndex {
  constructor(private readonly prisma: PrismaClient) {}

  async page({ agentId, action, limit, offset }: PageQuery): Promise<Page> {
    const where = action === undefined ? { agentId } : { agentId, action };
    const { transaction } = this.prisma;
    try {
      // One snapshot for both, so that the total is the total of this page.
      const [total, rows] = await this.prisma.$transaction(
        [
          transaction.count({ where }),
          transaction.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: limit, skip: offset }),
        ],
        { isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead },
      );
      return { records: rows.map(toRecord), total };
    } catch (error) {
      throw prismaError(error);
    }
  }

  async find(agentId: string, id: string): Promise<TransactionRecord | undefined> {
    try {
      const row = await this.prisma.transaction.findFirst({ where: { id, agentId } });
      return row ? toRecord(row) : undefined;
    } catch (error) {
      throw prismaError(error);
    }
  }
}

function toRecord({ metadata, createdAt, ...row }: Transaction): TransactionRecord {
  return {
    ...row,
    status: row.status as TransactionStatus,
    revision: Number(row.revision),
    amount: row.amount === null ? undefined : BigInt(row.amount.toFixed(0)),
    metadataJson: metadata,
    createdAtMs: createdAt.getTime(),
  };
}

/** Prisma's own codes for a database that is away: P1xxx, and P2024 for a pool that gave no connection. */
const AWAY = /^(P1\d{3}|P2024)$/;

function prismaError(error: unknown): AppError {
  const code = String((error as { code?: unknown }).code);
  if (AWAY.test(code) || isDatabaseUnavailable(error)) return new AppError('SERVICE_UNAVAILABLE', { cause: error });
  return databaseError(error);
}
