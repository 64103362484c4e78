import type { Secret } from '@agent-wallet/kernel';

/** Address of a database, and the credentials there. */
export interface PostgresConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: Secret<string>;
  /** A file that holds the password instead, read for every connection, so that it may change while we run. */
  readonly passwordPath?: string | undefined;
  readonly database: string;
  /** Whether to demand TLS with a verified certificate. */
  readonly tls?: boolean;
}
