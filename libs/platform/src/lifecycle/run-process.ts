import type { RunningTelemetry } from '@agent-wallet/telemetry';
import { createLogger } from '../log/logger.js';
import { setting } from '../settings/kinds.js';
import { type MisspeltVariable, misspeltVariables } from '../settings/misspelt-variables.js';
import { readSettings, SettingsError } from '../settings/read-settings.js';
import { startProcessTelemetry } from './process-telemetry.js';
import { type RunningService, stopInOrder } from './running-service.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** One Ctrl-C may arrive twice: from the terminal, and handed on by the parent. */
const SAME_SIGNAL_MS = 1_000;

/** Message that a service sends over its IPC channel to its parent process, once it listens. */
export interface ReadyMessage {
  readonly ready: true;
  /** Its listening address: `host:port` or a URL. */
  readonly address: string;
  /** `host:port` at which operators are served over gRPC, where that is another place. */
  readonly operatorAddress?: string;
  /** `host:port` that serves metrics, where METRICS_ADDRESS asked for them. */
  readonly metricsAddress?: string;
}

/** The service that a process runs, with its addresses. */
type ReachableService = RunningService & Omit<ReadyMessage, 'ready' | 'metricsAddress'>;

/**
 * Runs a service; the body of every `main.ts`. It starts, waits for SIGTERM or SIGINT, stops gracefully, and exits. A
 * second signal exits at once. A failed start prints an error that a person can act on and exits with 1. A process with
 * an IPC channel reports when it is ready and exits with its parent.
 * @param name what its telemetry calls the process: the service, where it runs one
 */
export async function runProcess(name: string, start: () => Promise<ReachableService>): Promise<void> {
  let service: ReachableService;
  let telemetry: RunningTelemetry;
  try {
    telemetry = await startProcessTelemetry(name);
    service = await start();
    warnOfMisspelt(name);
  } catch (error) {
    process.stderr.write(`${error instanceof SettingsError ? withSuggestions(error) : describeFailure(error)}\n`);
    process.exit(1);
  }
  let stoppingSinceMs: number | undefined;
  const stop = () => {
    if (stoppingSinceMs !== undefined) {
      if (performance.now() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSinceMs = performance.now();
    stopInOrder(
      () => service.stop(),
      () => telemetry.stop(),
    ).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${describeFailure(error)}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  if (process.send) {
    process.once('disconnect', () => stoppingSinceMs === undefined && stop());
    const { address, operatorAddress } = service;
    const { metricsAddress } = telemetry;
    const optional = { ...(operatorAddress && { operatorAddress }), ...(metricsAddress && { metricsAddress }) };
    const ready: ReadyMessage = { ready: true, address, ...optional };
    // The parent may have ended during the start: then this process has no work, and stops.
    if (process.connected) process.send(ready, (error: Error | null) => error && stop());
    else stop();
  }
}

/** Returns the message of wrong settings, and which variables may be misspelt. */
function withSuggestions({ message }: SettingsError): string {
  return [message, ...misspeltVariables().map((each) => `  ${sentenceOf(each)}`)].join('\n');
}

function warnOfMisspelt(name: string): void {
  const { LOG_LEVEL: level } = readSettings({ LOG_LEVEL: setting.text().default('info') });
  const logger = createLogger(name, level);
  for (const each of misspeltVariables()) logger.warn({ event: 'setting.ignored', ...each }, sentenceOf(each));
}

function sentenceOf({ variable, suggestion }: MisspeltVariable): string {
  return `${variable} is not a setting of this process. Did you mean ${suggestion}?`;
}

function describeFailure(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
