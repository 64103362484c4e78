import { EVENT_STREAM_VARIABLES, type EventStreamSettings, eventStreamSettings } from '@agent-wallet/events';
import { type Environment, type PostgresConnection, readSettings, setting } from '@agent-wallet/platform';
import { chooseUpstreams, type World } from './upstreams/choose-upstreams.js';

/** Settings of a standalone deployment; all have defaults. */
export interface StandaloneSettings {
  /** Folder of the embedded database, certificates, secrets and the sandbox's state. */
  readonly dataDir: string;
  readonly world: World;
  readonly logLevel: string;
  /** The whole environment: services and sandbox read their own settings from it. */
  readonly environment: Environment;
}

/** Reads the settings. @throws SettingsError */
export function standaloneSettings(environment: Environment): StandaloneSettings {
  const { DATA_DIR, LOG_LEVEL } = readSettings(
    { DATA_DIR: setting.path().default('.data'), LOG_LEVEL: setting.text().default('warn') },
    environment,
  );
  return { dataDir: DATA_DIR, logLevel: LOG_LEVEL, world: chooseUpstreams(environment), environment };
}

/** Settings of a deployment with a given database and stream. */
interface ProcessesSettings extends StandaloneSettings {
  /** As whom roles and schemas are made; services get roles of their own. */
  readonly database: PostgresConnection;
  /** Carrier of the events. */
  readonly stream: EventStreamSettings;
}

/** Reads the settings of `npm run processes`. @throws SettingsError */
export function processesSettings(environment: Environment): ProcessesSettings {
  const { DATABASE_URL, ...stream } = readSettings(
    { DATABASE_URL: setting.postgres(), ...EVENT_STREAM_VARIABLES },
    environment,
  );
  return { ...standaloneSettings(environment), database: DATABASE_URL, stream: eventStreamSettings(stream) };
}
