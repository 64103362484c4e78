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

/** What a loop does. */
export interface BackgroundLoopOptions {
  readonly name: string;
  readonly logger: Logger;
  /** Pause after a round that found nothing more to do. */
  readonly idleMs: number;
  /** One round; true when there is more to do at once. */
  readonly round: () => Promise<boolean>;
}

const FAILURE_PAUSE_MS = 1_000;

/** Starts a loop. A round that fails is logged and tried again after a pause. */
export function startLoop(options: BackgroundLoopOptions): BackgroundLoop {
  let stopped = false;
  let woken = false;
  let wakeUp: (() => void) | undefined;
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async () => {
    while (!stopped) {
      woken = false;
      const pauseMs = await options.round().then(
        (more) => (more ? 0 : options.idleMs),
        (err: unknown) => {
          count(METRICS.loopFailures, { attributes: { [ATTRIBUTES.loop.name]: options.name } });
          options.logger.warn({ err, loop: options.name }, 'a background round failed; it will be tried again');
          return FAILURE_PAUSE_MS;
        },
      );
      if (!stopped && !(woken && pauseMs !== FAILURE_PAUSE_MS) && pauseMs > 0) await pause(pauseMs);
    }
  };
  const finished = asService(serviceOf(options.logger), run);
  return {
    wake: () => {
      woken = true;
      wakeUp?.();
    },
    stop: async () => {
      stopped = true;
      wakeUp?.();
      await finished;
    },
  };
}
