import type { TlsPaths } from '../grpc/certificate-files.js';
import type { PostgresConnection } from './postgres-connection.js';
import { setting } from './kinds.js';
import type { SettingsOf } from './read-settings.js';
import {
  CLIENT_TLS_VARIABLES,
  clientTls,
  SERVER_TLS_VARIABLES,
  serverTls,
  type ServerTlsPaths,
} from './tls-settings.js';

/** Settings of a service that calls no other. */
export interface ServerSettings {
  /** `host:port` to listen on; port 0 takes a free one. */
  readonly grpcAddress: string;
  /** `host:port` that serves health without TLS, for probes; none when omitted. */
  readonly healthAddress?: string | undefined;
  readonly database: PostgresConnection;
  readonly tls: ServerTlsPaths;
  readonly logLevel: string;
}

/** Settings of a service that calls others, too. */
export interface ServiceSettings extends ServerSettings {
  readonly tls: TlsPaths;
}

/** The variables of a service that calls no other. */
export const SERVER_VARIABLES = {
  GRPC_ADDRESS: setting.address(),
  HEALTH_ADDRESS: setting.address().optional(),
  DATABASE_URL: setting.postgres(),
  DATABASE_PASSWORD_PATH: setting.path().optional(),
  ...SERVER_TLS_VARIABLES,
  LOG_LEVEL: setting.text().default('info'),
} as const;

/** The variables of a service that calls others, too. */
export const SERVICE_VARIABLES = { ...SERVER_VARIABLES, ...CLIENT_TLS_VARIABLES } as const;

/** Returns the settings of a service that calls no other. */
export function serverSettings(read: SettingsOf<typeof SERVER_VARIABLES>): ServerSettings {
  return {
    grpcAddress: read.GRPC_ADDRESS,
    healthAddress: read.HEALTH_ADDRESS,
    database: { ...read.DATABASE_URL, passwordPath: read.DATABASE_PASSWORD_PATH },
    tls: serverTls(read),
    logLevel: read.LOG_LEVEL,
  };
}

/** Returns the settings of a service that calls others, too. */
export function serviceSettings(read: SettingsOf<typeof SERVICE_VARIABLES>): ServiceSettings {
  return { ...serverSettings(read), tls: { ...serverTls(read), ...clientTls(read) } };
}
