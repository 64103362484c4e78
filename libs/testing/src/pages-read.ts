import type { QueryResult } from 'pg';

/** A statement as the driver takes it. */
type Statement = string | { readonly text: string; readonly values?: readonly unknown[] };

interface Runner {
  query(text: string, values?: unknown[]): Promise<QueryResult>;
}

/**
 * Runs statements and counts the pages (8 KiB) that each reads, found in Postgres's cache or not: what a statement costs, without
 * a clock. A test compares two sizes of a table.
 */
export class PagesRead {
  readonly #counted: number[] = [];

  constructor(private readonly on: Runner) {}

  /** Pages of all statements since the last call. */
  take(): number {
    return this.#counted.splice(0).reduce((sum, pages) => sum + pages, 0);
  }

  /** Runs a statement under EXPLAIN, which carries it out, and then for its rows. Meant for statements that may run twice. */
  async query(statement: Statement, given: readonly unknown[] = []): Promise<QueryResult> {
    const { text, values = given } = typeof statement === 'string' ? { text: statement } : statement;
    if (!/^\s*(select|with|insert|update|delete)\b/i.test(text)) return this.on.query(text, [...values]);
    const explained = await this.on.query(`explain (analyze, buffers, format json) ${text}`, [...values]);
    const [{ Plan: plan }] = explained.rows[0]['QUERY PLAN'] as [{ Plan: Record<string, number> }];
    this.#counted.push((plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0));
    return this.on.query(text, [...values]);
  }
}
