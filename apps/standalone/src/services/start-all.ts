import type { Part } from '@agent-wallet/kernel';
import { type Environment, type Logger, type RunningService, stopInOrder } from '@agent-wallet/platform';
import { SandboxClient } from '../client/sandbox-client.js';
import { environmentOf, type SystemWallets } from '../infrastructure/environment.js';
import type { Infrastructure, Service } from '../infrastructure/infrastructure.js';
import type { OpenUpstreams } from '../upstreams/open-upstreams.js';
import { attributeFirstFunds } from './attribute-funds.js';
import type { Runners } from './runners.js';
import { type Called, type Started, startInOrder } from './start-order.js';
import type { StartedService } from './started-service.js';
import { openSystemWallets } from './system-wallets.js';

/** All services, answering. */
interface RunningServices extends RunningService {
  readonly services: Readonly<Started<StartedService>>;
}

/**
 * Starts every service, with gRPC and mutual TLS between all of them. They stop from the edge inwards, so that what was
 * accepted is finished.
 */
export async function startAll(options: {
  readonly infrastructure: Infrastructure;
  /** The signer does not wait for it: it calls no other service. */
  readonly world: Promise<OpenUpstreams>;
  readonly parts: readonly Part[];
  readonly inherited: Environment;
  readonly run: Runners['service'];
  readonly logger: Logger;
}): Promise<RunningServices> {
  const started: Array<() => Promise<void>> = [];
  const keep = <Running extends RunningService>(running: Running): Running => {
    started.unshift(() => running.stop());
    return running;
  };
  let systemWallets: SystemWallets = {};
  const start = async (service: Service, called: Called<StartedService>) => {
    const peers = Object.fromEntries(Object.entries(called).map(([peer, { address }]) => [peer, address]));
    const world = service === 'signer' ? undefined : (await options.world).addresses;
    const environment = environmentOf(service, { ...options, world, systemWallets, peers });
    return keep(await options.run(service, environment, options.logger));
  };
  const openSandbox = async () => {
    const { adminUrl } = await options.world;
    return adminUrl === undefined ? undefined : new SandboxClient(adminUrl);
  };
  const openWallets = async (signer: StartedService) => {
    systemWallets = await openSystemWallets(signer.address, { ...options, sandbox: await openSandbox() });
  };
  try {
    const services = await startInOrder({ parts: options.parts, start, openWallets });
    const { prediction } = services;
    if (prediction && (await openSandbox()))
      keep(await attributeFirstFunds(prediction.address, options.infrastructure, options.logger));
    return { services, stop: () => stopInOrder(...started) };
  } catch (error) {
    await stopInOrder(...started);
    throw error;
  }
}
