import { EVENT_STREAM_VARIABLES, type EventStreamSettings, eventStreamSettings } from '@agent-wallet/events';
import {
  type Environment,
  type PostgresConnection,
  readSettings,
  setting,
  type TlsPaths,
} from '@agent-wallet/platform';

/** What history needs to know. */
export interface HistorySettings {
  /** `host:port` to listen on; port 0 takes a free one. */
  readonly grpcAddress: string;
  readonly database: PostgresConnection;
  readonly tls: TlsPaths;
  readonly logLevel: string;
  /** Where events come from. */
  readonly stream: EventStreamSettings;
  readonly checkpoints: CheckpointSettings;
}

/** How the growth of the log is signed. */
export interface CheckpointSettings {
  /** `host:port` of the signer. */
  readonly signerAddress: string;
  readonly intervalMs: number;
}

const DEFAULT_CHECKPOINT_INTERVAL_SECONDS = 10;

/** Reads history's settings from the environment. @throws SettingsError */
export function historySettings(environment?: Environment): HistorySettings {
  const env = readSettings(
    {
      GRPC_ADDRESS: setting.address(),
      DATABASE_URL: setting.postgres(),
      TLS_CA_PATH: setting.path(),
      TLS_CERT_PATH: setting.path(),
      TLS_KEY_PATH: setting.path(),
      LOG_LEVEL: setting.text().default('info'),
      SIGNER_ADDRESS: setting.address(),
      CHECKPOINT_INTERVAL_SECONDS: setting
        .integer({ min: 1, max: 86_400 })
        .default(DEFAULT_CHECKPOINT_INTERVAL_SECONDS),
      ...EVENT_STREAM_VARIABLES,
    },
    environment,
  );
  return {
    grpcAddress: env.GRPC_ADDRESS,
    database: env.DATABASE_URL,
    tls: { caPath: env.TLS_CA_PATH, certPath: env.TLS_CERT_PATH, keyPath: env.TLS_KEY_PATH },
    logLevel: env.LOG_LEVEL,
    stream: eventStreamSettings(env),
    checkpoints: { signerAddress: env.SIGNER_ADDRESS, intervalMs: env.CHECKPOINT_INTERVAL_SECONDS * 1_000 },
  };
}
