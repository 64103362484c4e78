import { databaseError } from '@agent-wallet/platform';
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
      throw databaseError(error);
    }
  }

  async find(agentId: string, id: string): Promise<TransactionRecord | undefined> {
    try {
      const row = await this.prisma.transaction.findFirst({ where: { id, agentId } });
      return row ? toRecord(row) : undefined;
    } catch (error) {
      throw databaseError(error);
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
