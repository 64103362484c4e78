import type { Environment, Logger, ReadyMessage, RunningService } from '@agent-wallet/platform';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../infrastructure/infrastructure.js';
import { type AppProcess, startAppProcess } from './app-process.js';
import { placeOf, withKeptPorts } from './place.js';

const RESTART_PAUSE_MS = 500;
const STOP_TIMEOUT_MS = 30_000;

/** The app to keep running. */
interface Supervised<Ready> {
  readonly app: string;
  readonly environment: Environment;
  /** Variables that give the next process the address of the first one. */
  readonly placeOf: (ready: Ready) => Environment;
}

/** Keeps a service's process running at one address: started again when it dies, until stopped. */
export async function superviseService(
  service: Service,
  environment: Environment,
  logger: Logger,
): Promise<RunningService & Omit<ReadyMessage, 'ready'>> {
  const supervised = { app: service, environment: await withKeptPorts(environment), placeOf };
  const running = await superviseApp<ReadyMessage>(supervised, logger);
  return { ...running.ready, stop: () => running.stop() };
}

/** Keeps any app running in the same way. `ready` is the message of its first process. */
export async function superviseApp<Ready>(
  { app, environment, placeOf }: Supervised<Ready>,
  logger: Logger,
): Promise<RunningService & { readonly ready: Ready }> {
  let current = await startAppProcess<Ready>(app, environment);
  const { ready } = current;
  let stopping = false;
  const watch = async () => {
    while (!stopping) {
      const how = await current.exited;
      if (stopping) return;
      logger.error({ event: 'service_process.exited', app, exit: how }, 'Service process exited; restarting it');
      const again = await restart({ ...environment, ...placeOf(ready) });
      if (!again) return;
      current = again;
      if (stopping) current.signal('SIGTERM');
    }
  };
  const restart = async (again: Environment): Promise<AppProcess<Ready> | undefined> => {
    while (!stopping) {
      await sleep(RESTART_PAUSE_MS);
      try {
        return await startAppProcess<Ready>(app, again);
      } catch (err) {
        logger.error({ event: 'service_process.start_failed', app, err }, 'Service process did not start; retrying');
      }
    }
    return undefined;
  };
  const watched = watch();
  return {
    ready,
    stop: async () => {
      stopping = true;
      current.signal('SIGTERM');
      const late = setTimeout(() => current.signal('SIGKILL'), STOP_TIMEOUT_MS);
      await current.exited;
      clearTimeout(late);
      await watched;
    },
  };
}
