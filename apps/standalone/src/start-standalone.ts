import type { SolanaNetwork } from '@agent-wallet/kernel';
import { createLogger, type RunningService, stopInOrder } from '@agent-wallet/platform';
import { operatorEnvironment, writeOperatorFile } from './infrastructure/operators.js';
import { localhostUrl, openConsole } from './open-console.js';
import { checkSettingsOfAll } from './services/check-settings.js';
import { IN_ONE_PROCESS } from './services/runners.js';
import { startAll } from './services/start-all.js';
import type { Started } from './services/start-order.js';
import type { StartedService } from './services/started-service.js';
import type { StandaloneSettings } from './settings.js';
import { openUpstreams } from './upstreams/open-upstreams.js';

/** A deployment on one machine that is up. */
export interface RunningStandalone extends RunningService {
  /** Base URL of the public API. */
  readonly url: string;
  /** The base URL, under the name by which every process announces its address. */
  readonly address: string;
  /** The sandbox's admin API; undefined in the real world. */
  readonly adminUrl: string | undefined;
  /** URL of the owners' console; undefined where another server has it. */
  readonly consoleUrl: string | undefined;
  /** Address of each service. */
  readonly services: Readonly<Started<Omit<StartedService, 'stop'>>>;
}

/**
 * Starts the whole service: infrastructure, upstreams, migrations, services. All in one process by default.
 * @throws SettingsError before anything is created, when a variable is wrong
 */
export async function startStandalone(
  settings: StandaloneSettings,
  runners = IN_ONE_PROCESS,
): Promise<RunningStandalone> {
  checkSettingsOfAll(settings.environment);
  const logger = createLogger('standalone', settings.logLevel);
  const started: Array<() => Promise<void>> = [];
  try {
    const infrastructure = await runners.infrastructure(settings.dataDir, logger);
    started.unshift(() => infrastructure.stop());
    // It knows every service: loaded while the database starts, where services run in this process.
    const { migrateAll } = await import('./services/migrate-all.js');
    await migrateAll(infrastructure, logger);
    const owners = await openConsole(settings, logger);
    if (owners) started.unshift(() => owners.console.stop());
    // The signer takes longest to start, and waits for nothing of this.
    const runSandbox = (environment: StandaloneSettings['environment']) => runners.sandbox(environment, logger);
    const world = openUpstreams(settings, infrastructure.secrets, runSandbox);
    // A failure is reported where it is awaited.
    const opened = world.catch(() => undefined);
    started.unshift(async () => (await opened)?.stop());
    const inherited = { LOG_LEVEL: settings.logLevel, ...owners?.environment, ...settings.environment };
    const all = await startAll({
      infrastructure,
      world,
      parts: settings.world.parts,
      inherited,
      run: runners.service,
      logger,
    });
    started.unshift(() => all.stop());
    const { services } = all;
    await writeOperatorFile(settings.dataDir, operatorEnvironment(infrastructure, services));
    const url = `http://${services.gateway.address}`;
    const { adminUrl } = await world;
    owners?.publish({
      apiUrl: localhostUrl(services.gateway.address),
      network: networkOf(settings),
      sandboxAdminUrl: adminUrl,
    });
    const consoleUrl = owners?.url;
    return { url, address: url, adminUrl, consoleUrl, services, stop: () => stopInOrder(...started) };
  } catch (error) {
    await stopInOrder(...started);
    throw error;
  }
}

/** Returns the network that the console shows. Its name was checked with the gateway's settings. */
function networkOf({ world, environment }: StandaloneSettings): SolanaNetwork {
  return world.kind === 'sandbox' ? 'sandbox' : (environment['SOLANA_NETWORK'] as SolanaNetwork);
}
