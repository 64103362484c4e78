import { createLogger, type RunningService, stopInOrder } from '@agent-wallet/platform';
import { SandboxClient } from './client/sandbox-client.js';
import { startInfrastructure } from './infrastructure/infrastructure.js';
import { operatorEnvironment, writeOperatorFile } from './infrastructure/operators.js';
import { migrateAll } from './services/migrate-all.js';
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
}

/** Starts the whole service: infrastructure, the outside world, migrations, services. */
export async function startStandalone(settings: StandaloneSettings): Promise<RunningStandalone> {
  const logger = createLogger('standalone', settings.logLevel);
  const started: Array<() => Promise<void>> = [];
  try {
    const infrastructure = await startInfrastructure(settings.dataDir, logger);
    started.unshift(() => infrastructure.stop());
    await migrateAll(infrastructure, logger);
    const world = await openWorld(settings, infrastructure.secrets);
    started.unshift(() => world.stop());
    const inherited = { LOG_LEVEL: settings.logLevel, ...settings.environment };
    const sandbox = world.adminUrl === undefined ? undefined : new SandboxClient(world.adminUrl);
    const services = await startAll({ infrastructure, world: world.addresses, sandbox, inherited, logger });
    started.unshift(() => services.stop());
    const { url, operatorAddresses } = services;
    await writeOperatorFile(settings.dataDir, operatorEnvironment(infrastructure, operatorAddresses));
    return { url, address: url, adminUrl: world.adminUrl, stop: () => stopInOrder(...started) };
  } catch (error) {
    await stopInOrder(...started);
    throw error;
  }
}
