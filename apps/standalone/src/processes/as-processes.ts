import type { Environment, PostgresConnection } from '@agent-wallet/platform';
import { openInfrastructure, type Service, SERVICES } from '../infrastructure/infrastructure.js';
import type { Runners } from '../services/runners.js';
import type { SandboxAddresses } from '../upstreams/sandbox-addresses.js';
import { placeOfSandbox } from '../app-processes/place.js';
import { superviseApp, superviseService } from '../app-processes/supervise.js';

/**
 * Runs every service, and the sandbox, as a process of its own that is restarted when it dies, over a given database.
 */
export function asProcesses(database: PostgresConnection): Runners {
  return {
    infrastructure: (dataDir) => openInfrastructure(dataDir, database),
    sandbox: async (environment, logger) => {
      const supervised = { app: 'sandbox', environment, placeOf: placeOfSandbox };
      const running = await superviseApp<SandboxAddresses>(supervised, logger);
      return { ...running.ready, stop: () => running.stop() };
    },
    service: (service, environment, logger) =>
      superviseService(service, { ...environment, ...metricsOf(service, environment) }, logger),
  };
}

/**
 * Returns a metrics address for each process of the machine: this one has the named port, services have the ports after
 * it.
 */
function metricsOf(service: Service, { METRICS_ADDRESS: address }: Environment): Environment {
  const [, host, port] = /^(.+):(\d+)$/.exec(address ?? '') ?? [];
  if (host === undefined || Number(port) === 0) return {};
  return { METRICS_ADDRESS: `${host}:${Number(port) + 1 + SERVICES.indexOf(service)}` };
}
