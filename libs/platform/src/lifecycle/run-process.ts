import { SettingsError } from '../settings/read-settings.js';
import type { RunningService } from './running-service.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * The body of every `main.ts`: starts, waits for SIGTERM or SIGINT, stops gracefully, and leaves. A second signal
 * leaves at once. A start that fails prints one line a person can act on and exits with 1.
 */
export async function runProcess(start: () => Promise<RunningService>): Promise<void> {
  let service: RunningService;
  try {
    service = await start();
  } catch (error) {
    process.stderr.write(`${error instanceof SettingsError ? error.message : describeFailure(error)}\n`);
    process.exit(1);
  }
  let stopping = false;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      service.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${describeFailure(error)}\n`);
          process.exit(1);
        },
      );
    });
  }
}

function describeFailure(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
