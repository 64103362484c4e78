import { isDatabaseUnavailable, type PostgresConnection, SettingsError } from '@agent-wallet/platform';

/** Roles are called `<database>_<service>` and `<database>_<service>_owner`, in at most 63 bytes. */
const MAX_NAME_BYTES = 40;

/** Error codes of Postgres. */
const NO_RIGHT = '42501';
const WRONG_LOGIN = new Set(['28P01', '28000']);
const NO_DATABASE = '3D000';

/** Turns what commonly keeps a given database from being used into words that say what to do. @throws SettingsError */
export async function explainDatabase<T>(connection: PostgresConnection, work: () => Promise<T>): Promise<T> {
  if (Buffer.byteLength(connection.database) > MAX_NAME_BYTES) {
    throw new SettingsError([`DATABASE_URL: the database's name is longer than ${MAX_NAME_BYTES} bytes`]);
  }
  try {
    return await work();
  } catch (error) {
    const said = explanation(connection, error);
    throw said === undefined ? error : new SettingsError([`DATABASE_URL: ${said}`]);
  }
}

function explanation({ host, port, user, database }: PostgresConnection, error: unknown): string | undefined {
  const { code = '', message } = error as { code?: string; message?: string };
  if (code === NO_DATABASE) return `the database ${database} does not exist: make it (createdb ${database})`;
  if (WRONG_LOGIN.has(code)) return `Postgres does not let ${user} in: correct the user or the password`;
  if (code === NO_RIGHT) {
    return (
      `${user} may not make the roles and schemas of the services (${message}): name a superuser, or let ${user} do it ` +
      `(ALTER ROLE ${user} CREATEROLE; ALTER DATABASE ${database} OWNER TO ${user})`
    );
  }
  if (isDatabaseUnavailable(error)) {
    return `no Postgres answers at ${host}:${port} (${code || message}): start it, or correct host and port`;
  }
  return undefined;
}
