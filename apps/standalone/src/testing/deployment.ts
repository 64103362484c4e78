import { type Part, PARTS } from '@agent-wallet/kernel';
import { createLogger, type Environment, type ReadyMessage } from '@agent-wallet/platform';
import { execFile } from 'node:child_process';
import { lstat, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { AgentClient } from '../client/agent-client.js';
import { SandboxClient } from '../client/sandbox-client.js';
import {
  environmentOf,
  type PeerAddresses,
  type SystemWallets,
  type UpstreamAddresses,
} from '../infrastructure/environment.js';
import { type Infrastructure, type Service, startInfrastructure } from '../infrastructure/infrastructure.js';
import { operatorEnvironment } from '../infrastructure/operators.js';
import { migrateAll } from '../services/migrate-all.js';
import { type Called, startInOrder } from '../services/start-order.js';
import { fundSystemWallets, makeSystemWallets } from '../services/system-wallets.js';
import { accountAt, exchangeKeyOf } from '../upstreams/open-upstreams.js';
import type { SandboxAddresses } from '../upstreams/sandbox-addresses.js';
import { type AppProcess, startAppProcess } from '../app-processes/app-process.js';
import { placeOf, withKeptPorts } from '../app-processes/place.js';

/** Options of a deployment of processes. */
export interface DeploymentOptions {
  /** Processes of every service. 1 when omitted. */
  readonly copies?: number;
  /** Processes of the gateway; as many as of every service when omitted. */
  readonly gateways?: number;
  /** Whom the n-th process of a service calls: only the n-th of another, or all of them by turns. `all` when omitted. */
  readonly calls?: 'its-own' | 'all';
  /** The chain's slot time; 0 (a transaction is final at once) when omitted. */
  readonly slotMs?: number;
  /** Exchange's tier for its operator: `basic` (ten orders a second) when omitted, up to `prime`. */
  readonly exchangeTier?: string;
  /** Brokers of the event stream, `host:port,…`; Postgres carries it when omitted. */
  readonly kafka?: string;
  /** A folder that `prepare` has filled: it is copied, in place of making the same again. */
  readonly template?: string;
  /** Whether `crashAt` can make a process kill itself. */
  readonly canCrash?: boolean;
  /** Parts that it has; all when omitted. With transfers alone it knows a node and mail, and neither aggregator nor exchange. */
  readonly parts?: readonly Part[];
  /** Further variables for every service. */
  readonly environment?: Environment;
  /** Opens nodes in front of the sandbox's own, whose URL it gets: services ask them all, and that one no more. */
  readonly openNodes?: (rpcUrl: string) => Promise<readonly string[]>;
}

interface ServiceSlot {
  readonly service: Service;
  readonly environment: Environment;
  process: AppProcess<ReadyMessage>;
  /** Whether this life is as the first one was: alive, and with no further variables. */
  isAsStarted: boolean;
}

/** Joins several addresses into one, as gRPC reads it. */
function listOf(addresses: readonly string[]): string {
  return addresses.length === 1 ? addresses[0]! : `ipv4:${addresses.join(',')}`;
}

/**
 * Copies a folder with its owners, as Postgres requires. A database that lies elsewhere (libs/embedded) is not shared
 * by a link to it.
 */
async function copyTemplate(template: string, directory: string): Promise<void> {
  const cluster = await lstat(path.join(template, 'postgres', 'cluster'));
  if (!cluster.isSymbolicLink()) await promisify(execFile)('cp', ['-a', `${template}/.`, directory]);
}

/** Every service and the sandbox as processes of their own, which may be killed and started again. */
export class Deployment {
  readonly #slots = new Map<string, ServiceSlot>();
  readonly #directory: string;
  readonly #world: AppProcess<SandboxAddresses>;
  readonly #parts: readonly Part[];
  readonly infrastructure: Infrastructure;
  readonly sandbox: SandboxClient;
  /** Brokers of the event stream; undefined where Postgres carries it. */
  readonly kafka: string | undefined;
  #agents = 0;
  #nodes: readonly string[] = [];
  #systemWallets: SystemWallets = {};

  private constructor(
    { directory, infrastructure }: { readonly directory: string; readonly infrastructure: Infrastructure },
    world: AppProcess<SandboxAddresses>,
    { kafka, parts = PARTS }: DeploymentOptions,
  ) {
    this.#directory = directory;
    this.#world = world;
    this.#parts = parts;
    this.infrastructure = infrastructure;
    this.kafka = kafka;
    this.sandbox = new SandboxClient(world.ready.adminUrl);
  }

  /** Fills a folder with what any deployment begins with: a database with its tables, keys and certificates. */
  static async prepare(directory: string): Promise<void> {
    const infrastructure = await startInfrastructure(directory);
    await migrateAll(infrastructure, createLogger('deployment', 'silent'));
    await infrastructure.stop();
  }

  /** Starts everything in a folder of its own, with frozen prices, and USDC and USDT at a dollar. */
  static async start(options: DeploymentOptions = {}): Promise<Deployment> {
    const directory = await mkdtemp(path.join(tmpdir(), 'deployment-'));
    if (options.template !== undefined) await copyTemplate(options.template, directory);
    const infrastructure = await startInfrastructure(directory);
    const opening = startAppProcess<SandboxAddresses>('sandbox', {
      SANDBOX_DATA_DIR: path.join(directory, 'sandbox'),
      ...exchangeKeyOf(infrastructure.secrets.sandboxExchangeKey),
      SANDBOX_SLOT_MS: String(options.slotMs ?? 0),
      SANDBOX_EXCHANGE_TIER: options.exchangeTier,
      ...Object.fromEntries(
        ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0']),
      ),
    });
    const migrating = migrateAll(infrastructure, createLogger('deployment', 'silent'));
    const [world] = await Promise.all([opening, migrating]);
    const deployment = new Deployment({ directory, infrastructure }, world, options);
    deployment.#nodes = (await options.openNodes?.(world.ready.rpcUrl)) ?? [world.ready.rpcUrl];
    await deployment.#startServices(options);
    await deployment.#holdPrices();
    return deployment;
  }

  /** Returns the URL of the public API of the n-th gateway. */
  url(copy = 0): string {
    return `http://${this.addressOf(`gateway-${copy}`)}`;
  }

  /** The chain, as services see it. */
  get rpcUrl(): string {
    return this.#world.ready.rpcUrl;
  }

  /** Returns the address of a process; the copies of a service are called `gateway-0`, `gateway-1` and so on. */
  addressOf(name: string): string {
    return this.#slot(name).process.ready.address;
  }

  /** Returns the environment in which operators reach the n-th copies. */
  operatorEnvironment(copy = 0): Environment {
    const of = (service: Service) => this.#slot(`${service}-${copy}`).process.ready;
    const ofPart = (service: Service) => this.#slots.get(`${service}-${copy}`)?.process.ready;
    const [swap, prediction] = [ofPart('swap'), ofPart('prediction')];
    return operatorEnvironment(this.infrastructure, {
      policy: of('policy'),
      wallet: of('wallet'),
      ...(swap && { swap }),
      ...(prediction && { prediction }),
      history: of('history'),
      gateway: of('gateway'),
      signer: of('signer'),
    });
  }

  /** Returns the environment that a process was started with, without its address. */
  environmentOf(name: string): Environment {
    return this.#slot(name).environment;
  }

  /** Returns the gRPC address of a process. */
  grpcAddressOf(name: string): string {
    const { address, operatorAddress } = this.#slot(name).process.ready;
    return operatorAddress ?? address;
  }

  /** Addresses of the operator's wallets. */
  get systemWallets(): SystemWallets {
    return this.#systemWallets;
  }

  /** Creates a fresh agent with money of its own. */
  async agent(funds: Record<string, number> = { SOL: 1 }): Promise<AgentClient> {
    this.#agents += 1;
    const agent = await AgentClient.logIn(this.url(), this.sandbox, `agent-${this.#agents}@agents.example`);
    for (const [token, amount] of Object.entries(funds)) await this.sandbox.faucet(agent.address, token, amount);
    return agent;
  }

  /** Kills a process without a word; resolves once it is gone. */
  async kill(name: string): Promise<void> {
    this.#slot(name).process.signal('SIGKILL');
    await this.ended(name);
  }

  /** Asks a process to stop; resolves with its exit code. */
  async terminate(name: string): Promise<number | NodeJS.Signals> {
    this.#slot(name).process.signal('SIGTERM');
    return this.ended(name);
  }

  /** Resolves when a process has ended. */
  async ended(name: string): Promise<number | NodeJS.Signals> {
    const slot = this.#slot(name);
    const how = await slot.process.exited;
    slot.isAsStarted = false;
    return how;
  }

  /**
   * Makes a process kill itself when an operation next comes to a place, such as `transfer.after-signing`. Until then it
   * runs on. Needs a deployment that `canCrash`.
   */
  async crashAt(name: string, place: string): Promise<void> {
    const file = this.#slot(name).environment['TEST_CRASH_AT_PATH'];
    if (file === undefined) throw new Error(`${name} cannot crash`);
    await writeFile(`${file}.draft`, place);
    await rename(`${file}.draft`, file);
  }

  /** Starts a process again at its address, with further variables for this life. */
  async restart(name: string, more: Environment = {}): Promise<void> {
    const slot = this.#slot(name);
    const place = placeOf(slot.process.ready);
    slot.process = await startAppProcess(slot.service, { ...slot.environment, ...place, ...more });
    slot.isAsStarted = Object.keys(more).length === 0;
  }

  /** Brings back what was killed or started with further variables, ends all faults, and lets prices stand as at the start. */
  async restore(): Promise<void> {
    for (const [name, slot] of this.#slots) {
      const { TEST_CRASH_AT_PATH: crashPlace } = slot.environment;
      if (crashPlace !== undefined) await rm(crashPlace, { force: true });
      if (slot.isAsStarted) continue;
      await this.kill(name);
      await this.restart(name);
    }
    await this.sandbox.disarm();
    await this.#holdPrices();
  }

  async #holdPrices(): Promise<void> {
    await this.sandbox.setPrice({ freeze: true });
    // Exact dollars: a limit is valued by the highest price of a day, so they are set before anyone reads them.
    for (const token of ['USDC', 'USDT']) await this.sandbox.setPrice({ token, usd: 1 });
  }

  /** Kills everything and removes the folder. */
  async stop(): Promise<void> {
    const processes = [...this.#slots.values()].map((slot) => slot.process);
    for (const process of processes) process.signal('SIGKILL');
    this.#world.signal('SIGKILL');
    await Promise.all([...processes, this.#world].map((process) => process.exited));
    await this.infrastructure.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #startServices(options: DeploymentOptions): Promise<void> {
    await startInOrder<readonly string[]>({
      parts: this.#parts,
      start: (service, called) => this.#startCopies(service, options, called),
      openWallets: async ([signer]) => {
        const made = await makeSystemWallets(signer!, this.infrastructure.certificates);
        await fundSystemWallets(this.sandbox, made);
        this.#systemWallets = made;
      },
    });
  }

  async #startCopies(
    service: Service,
    options: DeploymentOptions,
    peers: Called<readonly string[]>,
  ): Promise<readonly string[]> {
    const { copies = 1, gateways = copies, calls = 'all', kafka } = options;
    const [, ...more] = this.#nodes;
    const nodes = more.length > 0 ? { SOLANA_RPC_URLS: more.join(',') } : {};
    const inherited = { LOG_LEVEL: 'silent', PORT: '0', KAFKA_BROKERS: kafka, ...nodes, ...options.environment };
    const { infrastructure, systemWallets } = this;
    const world = this.#upstreamAddresses;
    const startCopy = async (copy: number): Promise<string> => {
      const called = Object.entries(peers).map(([peer, all]) => [peer, calls === 'all' ? listOf(all) : all[copy]]);
      const own = Object.fromEntries(called) as PeerAddresses;
      const name = `${service}-${copy}`;
      const environment = {
        ...environmentOf(service, { infrastructure, world, peers: own, systemWallets, inherited }),
        TEST_CRASH_AT_PATH: options.canCrash ? path.join(this.#directory, `crash-${name}-at`) : undefined,
      };
      const process = await startAppProcess<ReadyMessage>(service, await withKeptPorts(environment));
      this.#slots.set(name, { service, environment, process, isAsStarted: true });
      return process.ready.address;
    };
    return Promise.all(Array.from({ length: service === 'gateway' ? gateways : copies }, (_, copy) => startCopy(copy)));
  }

  get #upstreamAddresses(): UpstreamAddresses {
    const { aggregatorUrl, exchangeUrl, smtpUrl, adminUrl: sandboxAdminUrl } = this.#world.ready;
    const hasMore = this.#parts.length > 1;
    const upstreams = {
      solanaRpcUrl: this.#nodes[0] ?? this.rpcUrl,
      jupiterBaseUrl: hasMore ? aggregatorUrl : undefined,
      exchange: hasMore ? accountAt(exchangeUrl, this.infrastructure.secrets.sandboxExchangeKey) : undefined,
      smtpUrl,
      parts: this.#parts,
    };
    return { ...upstreams, sandboxAdminUrl, isSandbox: true };
  }

  #slot(name: string): ServiceSlot {
    const slot = this.#slots.get(name);
    if (!slot) throw new Error(`${name} is not a process of this deployment`);
    return slot;
  }
}
