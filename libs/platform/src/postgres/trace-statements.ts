import { ATTRIBUTES, inSpan, isTracing, isWithinSpan } from '@agent-wallet/telemetry';
import type pg from 'pg';

type Query = (...given: unknown[]) => unknown;

/**
 * Makes every statement that is part of something a span: by its name, never by its text or its values. Prisma's run
 * through the same pool. Without tracing the pool stays as it is.
 */
export function traceStatements(pool: pg.Pool, schema: string): void {
  if (!isTracing()) return;
  trace(pool, schema);
  pool.on('connect', (client) => trace(client, schema));
}

function trace(on: { query: unknown }, schema: string): void {
  const query = (on.query as Query).bind(on);
  const traced: Query = (...given) => {
    const [statement] = given;
    // With a callback it is the pool's own, inside of a span already.
    if (!isWithinSpan() || typeof given.at(-1) === 'function' || !isPlain(statement)) return query(...given);
    const name = nameOf(statement);
    const attributes = {
      [ATTRIBUTES.dbSystem.name]: 'postgresql',
      [ATTRIBUTES.dbNamespace.name]: schema,
      [ATTRIBUTES.statement.name]: name,
    };
    return inSpan({ name: `sql ${name}`, kind: 'client', attributes }, () => query(...given) as Promise<unknown>);
  };
  on.query = traced;
}

type Statement = string | { readonly name?: string; readonly text?: string };

/** Reports whether a query is a single statement. A stream or a cursor is not. */
function isPlain(statement: unknown): statement is Statement {
  if (typeof statement === 'string') return true;
  return typeof statement === 'object' && statement !== null && !('submit' in statement);
}

const FIRST_WORD = /^\W*([a-z]+)/i;

function nameOf(statement: Statement): string {
  if (typeof statement !== 'string' && statement.name) return statement.name;
  const text = typeof statement === 'string' ? statement : (statement.text ?? '');
  return FIRST_WORD.exec(text)?.[1]?.toLowerCase() ?? 'other';
}
