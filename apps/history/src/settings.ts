import { EVENT_STREAM_VARIABLES, type EventStreamSettings, eventStreamSettings } from '@agent-wallet/events';
import {
  type Environment,
  readSettings,
  SERVICE_VARIABLES,
  serviceSettings,
  type ServiceSettings,
  setting,
} from '@agent-wallet/platform';

/** Settings of history. */
export interface HistorySettings extends ServiceSettings {
  /** The stream that events come from. */
  readonly stream: EventStreamSettings;
  readonly checkpoints: CheckpointSettings;
}

/** Settings for signing the growth of the log. */
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
      ...SERVICE_VARIABLES,
      SIGNER_ADDRESS: setting.address(),
      CHECKPOINT_INTERVAL_SECONDS: setting
        .integer({ min: 1, max: 86_400 })
        .default(DEFAULT_CHECKPOINT_INTERVAL_SECONDS),
      ...EVENT_STREAM_VARIABLES,
    },
    environment,
  );
  return {
    ...serviceSettings(env),
    stream: eventStreamSettings(env),
    checkpoints: { signerAddress: env.SIGNER_ADDRESS, intervalMs: env.CHECKPOINT_INTERVAL_SECONDS * 1_000 },
  };
}
