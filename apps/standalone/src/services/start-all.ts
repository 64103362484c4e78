import { gatewaySettings, startGateway } from '@agent-wallet/gateway';
import { historySettings, startHistory } from '@agent-wallet/history';
import { type Environment, type Logger, type RunningService, stopInOrder } from '@agent-wallet/platform';
import { policySettings, startPolicy } from '@agent-wallet/policy';
import { predictionSettings, startPrediction } from '@agent-wallet/prediction';
import { startSwap, swapSettings } from '@agent-wallet/swap';
import { startWallet, walletSettings } from '@agent-wallet/wallet';
import type { SandboxClient } from '../client/sandbox-client.js';
import {
  environmentOf,
  type PeerAddresses,
  type SystemWallets,
  type WorldAddresses,
} from '../infrastructure/environment.js';
import type { Infrastructure, Service } from '../infrastructure/infrastructure.js';
import type { OperatorAddresses } from '../infrastructure/operators.js';
import { superviseService } from '../processes/supervise.js';
import { attributeFirstFunds } from './attribute-funds.js';
import { openSystemWallets } from './system-wallets.js';

/** All services, answering. */
export interface RunningServices extends RunningService {
  /** Base URL of the public API. */
  readonly url: string;
  readonly operatorAddresses: OperatorAddresses;
}

/**
 * Starts every service: the signer as a process of its own, the others in this process, with gRPC and mutual TLS
 * between all of them. They stop from the edge inwards, so that what was accepted is finished.
 */
export async function startAll(options: {
  readonly infrastructure: Infrastructure;
  readonly world: WorldAddresses;
  /** In a world that gives its money away. */
  readonly sandbox: SandboxClient | undefined;
  readonly inherited: Environment;
  readonly logger: Logger;
}): Promise<RunningServices> {
  const started: Array<() => Promise<void>> = [];
  const keep = <Running extends RunningService>(running: Running): Running => {
    started.unshift(() => running.stop());
    return running;
  };
  let systemWallets: SystemWallets = {};
  const env = (service: Service, peers: PeerAddresses = {}) =>
    environmentOf(service, { ...options, systemWallets, peers });
  try {
    const [signer, history] = await Promise.all([
      superviseService('signer', env('signer'), options.logger).then(keep),
      startHistory(historySettings(env('history'))).then(keep),
    ]);
    systemWallets = await openSystemWallets(signer.address, options);
    const policy = keep(await startPolicy(policySettings(env('policy'))));
    const inner = { signer: signer.address, policy: policy.address, history: history.address };
    const wallet = keep(await startWallet(walletSettings(env('wallet', inner))));
    const callable = { ...inner, wallet: wallet.address };
    const swap = keep(await startSwap(swapSettings(env('swap', callable))));
    const prediction = keep(await startPrediction(predictionSettings(env('prediction', callable))));
    if (options.sandbox) keep(await attributeFirstFunds(prediction.address, options.infrastructure, options.logger));
    const peers = { ...callable, swap: swap.address, prediction: prediction.address };
    const gateway = keep(await startGateway(gatewaySettings(env('gateway', peers))));
    const operatorAddresses = {
      policy: policy.address,
      wallet: wallet.address,
      swap: swap.address,
      prediction: prediction.address,
      gateway: gateway.operatorAddress,
    };
    return { url: gateway.url, operatorAddresses, stop: () => stopInOrder(...started) };
  } catch (error) {
    await stopInOrder(...started);
    throw error;
  }
}
