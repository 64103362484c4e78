import { type RunningTelemetry, startTelemetry } from '@agent-wallet/telemetry';
import { createLogger } from '../log/logger.js';
import { setting } from '../settings/kinds.js';
import { readSettings, SettingsError } from '../settings/read-settings.js';
import { telemetrySettings } from '../settings/telemetry-settings.js';

/** Starts the telemetry of this process as its environment says. @throws SettingsError */
export async function startProcessTelemetry(name: string): Promise<RunningTelemetry> {
  const settings = telemetrySettings();
  const { LOG_LEVEL } = readSettings({ LOG_LEVEL: setting.text().default('warn') });
  const logger = createLogger(name, LOG_LEVEL);
  const onTrouble = (errorType: string, suppressed: number) =>
    logger.warn({ event: 'telemetry.export_failed', errorType, suppressed }, 'Telemetry could not be exported');
  try {
    return await startTelemetry({ service: name, settings, onTrouble });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError([`METRICS_ADDRESS: ${settings.metricsAddress} cannot be listened on (${code})`]);
  }
}
