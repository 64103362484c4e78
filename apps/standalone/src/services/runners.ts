import { gatewaySettings, startGateway } from '@agent-wallet/gateway';
import { historySettings, startHistory } from '@agent-wallet/history';
import type { Environment, Logger, RunningService } from '@agent-wallet/platform';
import { policySettings, startPolicy } from '@agent-wallet/policy';
import { predictionSettings, startPrediction } from '@agent-wallet/prediction';
import { sandboxSettings, startSandbox } from '@agent-wallet/sandbox';
import { startSwap, swapSettings } from '@agent-wallet/swap';
import { startWallet, walletSettings } from '@agent-wallet/wallet';
import { type Infrastructure, type Service, startInfrastructure } from '../infrastructure/infrastructure.js';
import { superviseService } from '../processes/supervise.js';
import type { SandboxAddresses } from '../world/sandbox-addresses.js';

/** A service that answers. */
export interface StartedService extends RunningService {
  /** `host:port` */
  readonly address: string;
  /** `host:port` at which operators are served over gRPC, where that is another place. */
  readonly operatorAddress?: string;
}

/** How the parts of a deployment are run; each part reads its settings from the environment it is given. */
export interface Runners {
  readonly infrastructure: (dataDir: string, logger: Logger) => Promise<Infrastructure>;
  readonly sandbox: (environment: Environment, logger: Logger) => Promise<SandboxAddresses & RunningService>;
  readonly service: (service: Service, environment: Environment, logger: Logger) => Promise<StartedService>;
}

const HERE: Record<Exclude<Service, 'signer'>, (environment: Environment) => Promise<StartedService>> = {
  gateway: (environment) => startGateway(gatewaySettings(environment)),
  wallet: (environment) => startWallet(walletSettings(environment)),
  swap: (environment) => startSwap(swapSettings(environment)),
  prediction: (environment) => startPrediction(predictionSettings(environment)),
  policy: (environment) => startPolicy(policySettings(environment)),
  history: (environment) => startHistory(historySettings(environment)),
};

/** Everything in this process with a Postgres of its own, but the signer, which never shares its memory. */
export const IN_ONE_PROCESS: Runners = {
  infrastructure: startInfrastructure,
  sandbox: (environment) => startSandbox(sandboxSettings(environment)),
  service: (service, environment, logger) =>
    service === 'signer' ? superviseService(service, forSigner(environment), logger) : HERE[service](environment),
};

/** This process serves the metrics of all but the signer, which cannot listen at the same address. */
function forSigner(environment: Environment): Environment {
  return { ...environment, METRICS_ADDRESS: environment['SIGNER_METRICS_ADDRESS'] };
}
