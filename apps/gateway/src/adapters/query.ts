import { AppError } from '@agent-wallet/kernel';
import { databaseError, type Queryable } from '@agent-wallet/platform';

/** A prepared statement. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs a statement and answers its rows. @throws AppError SERVICE_UNAVAILABLE when the database is away */
export async function query<Row>(on: Queryable, statement: Statement): Promise<Row[]> {
  return guarded(async () => {
    const { rows } = await on.query({ ...statement, values: [...statement.values] });
    return rows as Row[];
  });
}

/** Asks the database for nothing. @throws AppError SERVICE_UNAVAILABLE when it is away */
export async function reachDatabase(on: Queryable): Promise<void> {
  await query(on, { name: 'reachable', text: 'select 1', values: [] });
}

/** Runs database work, and turns what goes wrong with the database into an AppError. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? error : databaseError(error);
  }
}

/** Returns Unix milliseconds as a parameter of type timestamptz. */
export function timeParameter(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
