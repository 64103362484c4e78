import { EVENT_STREAM_VARIABLES, type EventStreamSettings, eventStreamSettings } from '@agent-wallet/events';
import {
  SERVICE_VARIABLES,
  serviceSettings,
  type ServiceSettings,
  setting,
  SettingsError,
  type SettingsOf,
} from '@agent-wallet/platform';

/** The settings of every service that carries out operations. */
export interface OperationSettings extends ServiceSettings {
  /** Settings of the stream that receives its events. */
  readonly stream: EventStreamSettings;
  /** `host:port`. */
  readonly policyAddress: string;
  /** For fault tests: a file that may name the place at which the process kills itself. */
  readonly crashAtPath?: string | undefined;
}

/** The environment variables behind them, to be read with the service's own. */
export const OPERATION_VARIABLES = {
  ...SERVICE_VARIABLES,
  ...EVENT_STREAM_VARIABLES,
  POLICY_ADDRESS: setting.address(),
  TEST_CRASH_AT_PATH: setting.path().optional(),
  NODE_ENV: setting.text().default(''),
};

/** Returns the settings that the variables describe. @throws SettingsError when they contradict each other */
export function operationSettings(read: SettingsOf<typeof OPERATION_VARIABLES>): OperationSettings {
  const { TEST_CRASH_AT_PATH: crashAtPath } = read;
  if (crashAtPath !== undefined && read.NODE_ENV === 'production') {
    throw new SettingsError([
      'TEST_CRASH_AT_PATH: must not be set with NODE_ENV=production, where nothing may arm a crash. Remove it.',
    ]);
  }
  return {
    ...serviceSettings(read),
    stream: eventStreamSettings(read),
    policyAddress: read.POLICY_ADDRESS,
    crashAtPath,
  };
}
