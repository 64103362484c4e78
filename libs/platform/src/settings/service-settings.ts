import type { TlsPaths } from '../grpc/certificate-files.js';
import type { PostgresConnection } from './postgres-connection.js';
import { setting } from './kinds.js';
import type { SettingsOf } from './read-settings.js';

/** Settings that every service needs. */
export interface ServiceSettings {
  /** `host:port` to listen on; port 0 takes a free one. */
  readonly grpcAddress: string;
  /** `host:port` that serves health without TLS, for probes; none when omitted. */
  readonly healthAddress?: string | undefined;
  readonly database: PostgresConnection;
  readonly tls: TlsPaths;
  readonly logLevel: string;
}

/** The variables that say it. */
export const SERVICE_VARIABLES = {
  GRPC_ADDRESS: setting.address(),
  HEALTH_ADDRESS: setting.address().optional(),
  DATABASE_URL: setting.postgres(),
  DATABASE_PASSWORD_PATH: setting.path().optional(),
  TLS_CA_PATH: setting.path(),
  TLS_CERT_PATH: setting.path(),
  TLS_KEY_PATH: setting.path(),
  LOG_LEVEL: setting.text().default('info'),
} as const;

/** Returns the settings from the variables. */
export function serviceSettings(read: SettingsOf<typeof SERVICE_VARIABLES>): ServiceSettings {
  return {
    grpcAddress: read.GRPC_ADDRESS,
    healthAddress: read.HEALTH_ADDRESS,
    database: { ...read.DATABASE_URL, passwordPath: read.DATABASE_PASSWORD_PATH },
    tls: { caPath: read.TLS_CA_PATH, certPath: read.TLS_CERT_PATH, keyPath: read.TLS_KEY_PATH },
    logLevel: read.LOG_LEVEL,
  };
}
