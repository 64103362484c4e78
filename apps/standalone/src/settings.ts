import { type Environment, readSettings, setting } from '@agent-wallet/platform';
import { chooseWorld, type World } from './world/choose-world.js';

/** What a standalone deployment needs to know; everything has a default. */
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
  return { dataDir: DATA_DIR, logLevel: LOG_LEVEL, world: chooseWorld(environment), environment };
}
