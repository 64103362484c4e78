import { createLogger, type RunningService, stopInOrder } from '@agent-wallet/platform';
import { SandboxClient } from './client/sandbox-client.js';
import type { Service } from './infrastructure/infrastructure.js';
import { operatorEnvironment, writeOperatorFile } from './infrastructure/operators.js';
import { migrateAll } from './services/migrate-all.js';
import { IN_ONE_PROCESS, type StartedService } from './services/runners.js';
import { startAll } from './services/start-all.js';
import type { StandaloneSettings } from './settings.js';
import { openWorld } from './world/open-world.js';

/** Everything on one machine, answering. */
export interface RunningStandalone extends RunningService {
  /** Base URL of the public API. */
  readonly url: string;
  /** The same, under the name every process announces itself with. */
  readonly address: string;
  /** The sandbox's admin API; undefined in the real world. */
  readonly adminUrl: string | undefined;
  /** Where each service answers. */
  readonly services: Readonly<Record<Service, Omit<StartedService, 'stop'>>>;
}

/** Starts the whole service: infrastructure, the outside world, migrations, services. All in one process unless told otherwise. */
export async function startStandalone(
  settings: StandaloneSettings,
  runners = IN_ONE_PROCESS,
): Promise<RunningStandalone> {
  const logger = createLogger('standalone', settings.logLevel);
  const started: Array<() => Promise<void>> = [];
  try {
    const infrastructure = await runners.infrastructure(settings.dataDir, logger);
    started.unshift(() => infrastructure.stop());
    await migrateAll(infrastructure, logger);
    const runSandbox = (environment: StandaloneSettings['environment']) => runners.sandbox(environment, logger);
    const world = await openWorld(settings, infrastructure.secrets, runSandbox);
    started.unshift(() => world.stop());
    const inherited = { LOG_LEVEL: settings.logLevel, ...settings.environment };
    const sandbox = world.adminUrl === undefined ? undefined : new SandboxClient(world.adminUrl);
    const parts = { infrastructure, world: world.addresses, sandbox, inherited, run: runners.service, logger };
    const all = await startAll(parts);
    started.unshift(() => all.stop());
    const { services } = all;
    await writeOperatorFile(settings.dataDir, operatorEnvironment(infrastructure, services));
    const url = `http://${services.gateway.address}`;
    return { url, address: url, adminUrl: world.adminUrl, services, stop: () => stopInOrder(...started) };
  } catch (error) {
    await stopInOrder(...started);
    throw error;
  }
}
