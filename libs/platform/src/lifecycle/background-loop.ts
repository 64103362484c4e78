import { type Scheduler, systemScheduler } from '@agent-wallet/kernel';
import { asService, ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';
import type { Logger } from '../log/logger.js';
import { serviceOf } from '../log/service-of.js';

/** A loop in the background that can be woken and stopped. */
export interface BackgroundLoop {
  /** Runs the work soon, without waiting for the pause to end. */
  wake(): void;
  /** Lets the round under way finish, then ends. */
  stop(): Promise<void>;
}

/** Options of a loop. */
interface BackgroundLoopOptions {
  readonly name: string;
  readonly logger: Logger;
  /** Pause after a round that found nothing more to do. */
  readonly idleMs: number;
  /** The pause after a failure doubles with each in a row, from a second up to this; a second when omitted. */
  readonly maxFailurePauseMs?: number;
  /** One round; true when there is more to do at once. */
  readonly round: () => Promise<boolean>;
  /** Measures the pauses; the machine's time when omitted. */
  readonly scheduler?: Scheduler | undefined;
}

const FAILURE_PAUSE_MS = 1_000;

/**
 * Starts a loop. A round that fails is logged and tried again after a pause that no wake-up cuts short: what fails with
 * every try is not tried at the rate of the wake-ups.
 */
export function startLoop(options: BackgroundLoopOptions): BackgroundLoop {
  let stopped = false;
  let woken = false;
  let endPause: (() => void) | undefined;
  let isResting = false;
  let failurePauseMs = FAILURE_PAUSE_MS;
  const pause = async (ms: number) => {
    await new Promise<void>((resolve) => {
      const cancel = (options.scheduler ?? systemScheduler).after(ms, resolve);
      endPause = () => {
        cancel();
        resolve();
      };
    });
    endPause = undefined;
  };
  const run = async () => {
    while (!stopped) {
      woken = false;
      const after = await options.round().then(
        (more) => (more ? 'more' : 'idle'),
        (err: unknown) => {
          count(METRICS.loopFailures, { attributes: { [ATTRIBUTES.loop.name]: options.name } });
          const fields = { event: 'background_job.failed', job: options.name, err } as const;
          options.logger.warn(fields, 'Background job failed; retrying');
          return 'failed';
        },
      );
      isResting = after === 'failed';
      const restMs = failurePauseMs;
      failurePauseMs = isResting
        ? Math.min(restMs * 2, options.maxFailurePauseMs ?? FAILURE_PAUSE_MS)
        : FAILURE_PAUSE_MS;
      if (stopped || after === 'more' || (woken && !isResting)) continue;
      await pause(isResting ? restMs : options.idleMs);
    }
  };
  const finished = asService(serviceOf(options.logger), run);
  return {
    wake: () => {
      woken = true;
      if (!isResting) endPause?.();
    },
    stop: async () => {
      stopped = true;
      endPause?.();
      await finished;
    },
  };
}
