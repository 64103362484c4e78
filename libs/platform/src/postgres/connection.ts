import type { Secret } from '@agent-wallet/kernel';

/** Where a database is and who we are there. */
export interface PostgresConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: Secret<string>;
  readonly database: string;
  /** Whether to demand TLS with a verified certificate. */
  readonly tls?: boolean;
}
