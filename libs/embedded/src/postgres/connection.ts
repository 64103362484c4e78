import type { Secret } from '@agent-wallet/kernel';

/** Connection to one database as one role. */
export interface PostgresConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: Secret<string>;
  readonly database: string;
  /** Whether to demand TLS with a verified certificate. */
  readonly tls?: boolean;
}
