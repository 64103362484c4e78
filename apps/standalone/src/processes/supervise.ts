import type { Environment, Logger, ReadyMessage, RunningService } from '@agent-wallet/platform';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../infrastructure/infrastructure.js';
import { type AppProcess, startAppProcess } from './app-process.js';

const RESTART_PAUSE_MS = 500;
const STOP_TIMEOUT_MS = 30_000;

/** Keeps a service's process running at one address: started again when it dies, until stopped. */
export async function superviseService(
  service: Service,
  environment: Environment,
  logger: Logger,
): Promise<RunningService & { readonly address: string }> {
  let current: AppProcess<ReadyMessage> = await startAppProcess<ReadyMessage>(service, environment);
  const { address } = current.ready;
  let stopping = false;
  const watch = async () => {
    while (!stopping) {
      const how = await current.exited;
      if (stopping) return;
      logger.error({ service, how }, 'a service process ended; starting it again');
      const again = await restart({ ...environment, GRPC_ADDRESS: address });
      if (!again) return;
      current = again;
      if (stopping) current.signal('SIGTERM');
    }
  };
  const restart = async (again: Environment): Promise<AppProcess<ReadyMessage> | undefined> => {
    while (!stopping) {
      await sleep(RESTART_PAUSE_MS);
      try {
        return await startAppProcess<ReadyMessage>(service, again);
      } catch (err) {
        logger.error({ err, service }, 'a service process could not be started; trying again');
      }
    }
    return undefined;
  };
  const watched = watch();
  return {
    address,
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
