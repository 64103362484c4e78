import { Secret } from '@agent-wallet/kernel';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../log/logger.js';
import type { PostgresConnection } from '../settings/postgres-connection.js';

/**
 * Gives a new connection its password: the given one, or what the file holds then. A file that cannot be read is
 * logged and leaves the last password in use: pg would keep a connection for ever whose password fails to come.
 */
export function passwordReader(connection: PostgresConnection, logger: Logger): () => Promise<string> | string {
  const { password, passwordPath } = connection;
  if (!passwordPath) return () => password.reveal();
  let last = password;
  return async () => {
    try {
      // Editors and `echo` end a file with a line break.
      last = new Secret((await readFile(passwordPath, 'utf8')).replace(/\r?\n$/, ''));
    } catch (err) {
      const fields = { event: 'database_password.read_failed', err } as const;
      logger.error(fields, 'Database password file could not be read; the last one stays');
    }
    return last.reveal();
  };
}
