// What statements cost in Postgres: time and pages.
import { median } from './pairs.mjs';

const RUNS = 3;

/** Runs statements under EXPLAIN and again for their rows, and adds up what the first runs took. */
class Explained {
  #ms = 0;
  #pages = 0;

  constructor(client) {
    this.client = client;
  }

  async query(statement, given = []) {
    const { text, values = given } = typeof statement === 'string' ? { text: statement } : statement;
    if (!/^\s*(select|with|insert|update|delete)\b/i.test(text)) return this.client.query(text, values);
    await this.client.query('savepoint explained');
    const { rows } = await this.client.query(`explain (analyze, buffers, timing off, format json) ${text}`, values);
    await this.client.query('rollback to savepoint explained');
    const [{ Plan: plan, 'Execution Time': ms }] = rows[0]['QUERY PLAN'];
    this.#ms += ms;
    this.#pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    return this.client.query(text, values);
  }

  take() {
    return { ms: this.#ms, pages: this.#pages };
  }
}

/**
 * Measures work that asks `on.query`, in a transaction that is rolled back: medians of a few runs.
 * @param prepare statements that come before it in the transaction
 */
export async function costOf(client, work, prepare = []) {
  const runs = [];
  for (let i = 0; i < RUNS; i += 1) {
    await client.query('begin');
    try {
      for (const text of prepare) await client.query(text);
      const explained = new Explained(client);
      await work(explained);
      runs.push(explained.take());
    } finally {
      await client.query('rollback');
    }
  }
  return { ms: median(runs.map(({ ms }) => ms)), pages: median(runs.map(({ pages }) => pages)) };
}
