// In such a process: its task, and how it speaks to the one that started it.
import { Secret } from '@agent-wallet/kernel';
import { createLogger, openDatabase } from '@agent-wallet/platform';
import { once } from 'node:events';

export const logger = createLogger('bench', process.env.BENCH_LOG ?? 'silent');

/** Its task; the database of a schema is open. */
export function readTask(schema) {
  process.once('disconnect', () => process.exit());
  const { connection, ...task } = JSON.parse(process.env.BENCH_TASK);
  if (!connection) return task;
  const known = { ...connection, password: new Secret(connection.password) };
  return { ...task, database: openDatabase({ connection: known, schema, logger }) };
}

/** Says that it is ready; resolves with the message that starts it. */
export async function ready() {
  process.send({ ready: true });
  return (await once(process, 'message'))[0];
}
