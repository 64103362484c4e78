import type { Environment, Logger, RunningService } from '@agent-wallet/platform';
import { type Infrastructure, type Service, startInfrastructure } from '../infrastructure/infrastructure.js';
import { superviseService } from '../app-processes/supervise.js';
import type { SandboxAddresses } from '../upstreams/sandbox-addresses.js';
import type { StartedService } from './started-service.js';

/** Runners of the parts of a deployment; each part reads its settings from the environment it receives. */
export interface Runners {
  readonly infrastructure: (dataDir: string, logger: Logger) => Promise<Infrastructure>;
  readonly sandbox: (environment: Environment, logger: Logger) => Promise<SandboxAddresses & RunningService>;
  readonly service: (service: Service, environment: Environment, logger: Logger) => Promise<StartedService>;
}

/** Imports the code of the services, which takes longer to load than a database to start. */
const here = () => import('./here.js');

/** Runners of all parts in this process with a Postgres of its own, but the signer, which never shares its memory. */
export const IN_ONE_PROCESS: Runners = {
  infrastructure: (dataDir, logger) => startInfrastructure(dataDir, logger, () => void here()),
  sandbox: async (environment) => (await here()).sandboxHere(environment),
  service: async (service, environment, logger) =>
    service === 'signer'
      ? superviseService(service, forSigner(environment), logger)
      : (await here()).SERVICES_HERE[service](environment),
};

/** This process serves the metrics of all but the signer, which cannot listen at the same address. */
function forSigner(environment: Environment): Environment {
  return { ...environment, METRICS_ADDRESS: environment['SIGNER_METRICS_ADDRESS'] };
}
