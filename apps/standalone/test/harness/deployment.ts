import { createLogger } from '@agent-wallet/platform';
import { type RunningSandbox, sandboxSettings, startSandbox } from '@agent-wallet/sandbox';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentClient, SandboxClient } from '../../src/index.js';
import { type Environment, environmentOf, type PeerAddresses } from '../../src/infrastructure/environment.js';
import { type Infrastructure, type Service, startInfrastructure } from '../../src/infrastructure/infrastructure.js';
import { type ServiceProcess, startServiceProcess } from '../../src/processes/service-process.js';
import { migrateAll } from '../../src/services/migrate-all.js';

/** Limits that a test of something else must not meet. */
const GENEROUS: Environment = {
  RATE_LIMIT_IP_PER_MINUTE: '1000000',
  RATE_LIMIT_AGENT_PER_MINUTE: '1000000',
  RATE_LIMIT_OTP_START_PER_10_MINUTES: '1000',
};

const logger = createLogger('test', 'silent');

/** How a deployment under test is made. */
export interface DeploymentOptions {
  /** Gateway, wallet and policy processes; the n-th of each call each other. 1 when omitted. */
  readonly copies?: number;
  /** The chain's pace; 0 (a transaction is final at once) when omitted. */
  readonly slotMs?: number;
  /** Further variables for every service. */
  readonly environment?: Environment;
}

interface Slot {
  process: ServiceProcess;
  readonly environment: Environment;
}

/** Every service as a process of its own, which a test may kill, beside a sandbox in the test's own process. */
export class Deployment {
  readonly #slots = new Map<string, Slot>();
  readonly #directory: string;
  readonly #infrastructure: Infrastructure;
  readonly #world: RunningSandbox;
  readonly sandbox: SandboxClient;
  #agents = 0;

  private constructor(directory: string, infrastructure: Infrastructure, world: RunningSandbox) {
    this.#directory = directory;
    this.#infrastructure = infrastructure;
    this.#world = world;
    this.sandbox = new SandboxClient(world.adminUrl);
  }

  static async start(options: DeploymentOptions = {}): Promise<Deployment> {
    const directory = await mkdtemp(path.join(tmpdir(), 'deployment-'));
    const infrastructure = await startInfrastructure(directory);
    await migrateAll(infrastructure, logger);
    const world = await startSandbox(
      sandboxSettings({
        SANDBOX_DATA_DIR: path.join(directory, 'sandbox'),
        SANDBOX_SLOT_MS: String(options.slotMs ?? 0),
        ...Object.fromEntries(['RPC', 'AGGREGATOR', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0'])),
      }),
    );
    const deployment = new Deployment(directory, infrastructure, world);
    await deployment.#startServices(options);
    await deployment.sandbox.setPrice({ freeze: true });
    return deployment;
  }

  /** The public API of the n-th gateway. */
  url(copy = 0): string {
    return this.#slot(`gateway-${copy}`).process.address;
  }

  /** The chain, as services see it. */
  get rpcUrl(): string {
    return this.#world.rpcUrl;
  }

  /** SQL as the database's superuser, to look behind the scenes. */
  get postgres(): Infrastructure['postgres'] {
    return this.#infrastructure.postgres;
  }

  /** Where certificates lie, for a caller that tries to be somebody. */
  get infrastructure(): Infrastructure {
    return this.#infrastructure;
  }

  /** `host:port` of a service's process, e.g. `policy-0`. */
  addressOf(name: string): string {
    return this.#slot(name).process.address;
  }

  /** A fresh agent with money of its own. */
  async agent(funds: Record<string, number> = { SOL: 1 }, copy = 0): Promise<AgentClient> {
    this.#agents += 1;
    const agent = await AgentClient.logIn(this.url(copy), this.sandbox, `agent-${this.#agents}@agents.example`);
    for (const [token, amount] of Object.entries(funds)) await this.sandbox.faucet(agent.address, token, amount);
    return agent;
  }

  /** Kills a process without a word, and resolves once it is gone. */
  async kill(name: string): Promise<void> {
    this.#slot(name).process.signal('SIGKILL');
    await this.#slot(name).process.exited;
  }

  /** Asks a process to stop; resolves with its exit code. */
  async stopGracefully(name: string): Promise<number | NodeJS.Signals> {
    this.#slot(name).process.signal('SIGTERM');
    return this.#slot(name).process.exited;
  }

  /** Resolves when a process has ended by itself. */
  async ended(name: string): Promise<number | NodeJS.Signals> {
    return this.#slot(name).process.exited;
  }

  /** Starts a process again at its address, with further variables for this life. */
  async restart(name: string, more: Environment = {}): Promise<void> {
    const slot = this.#slot(name);
    const { service, address } = slot.process;
    const port = new URL(address.includes('://') ? address : `grpc://${address}`).port;
    const place = service === 'gateway' ? { PORT: port } : { GRPC_ADDRESS: address };
    slot.process = await startServiceProcess(service, { ...slot.environment, ...place, ...more });
  }

  async stop(): Promise<void> {
    const processes = [...this.#slots.values()].map((slot) => slot.process).reverse();
    for (const process of processes) process.signal('SIGKILL');
    await Promise.all(processes.map((process) => process.exited));
    await this.#world.stop();
    await this.#infrastructure.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #startServices({ copies = 1, environment = {} }: DeploymentOptions): Promise<void> {
    const signer = await this.#start('signer', 'signer', {}, environment);
    const history = await this.#start('history', 'history', {}, environment);
    for (let copy = 0; copy < copies; copy += 1) {
      const policy = await this.#start(`policy-${copy}`, 'policy', {}, environment);
      const inner = { signer, history, policy };
      const wallet = await this.#start(`wallet-${copy}`, 'wallet', inner, environment);
      await this.#start(`gateway-${copy}`, 'gateway', { ...inner, wallet }, environment);
    }
  }

  async #start(name: string, service: Service, peers: PeerAddresses, more: Environment): Promise<string> {
    const inherited = { PATH: process.env['PATH'], LOG_LEVEL: 'silent', PORT: '0', ...GENEROUS, ...more };
    const world = {
      solanaRpcUrl: this.#world.rpcUrl,
      jupiterBaseUrl: this.#world.aggregatorUrl,
      smtpUrl: this.#world.smtpUrl,
    };
    const environment = environmentOf(service, { infrastructure: this.#infrastructure, world, peers, inherited });
    this.#slots.set(name, { process: await startServiceProcess(service, environment), environment });
    return this.addressOf(name);
  }

  #slot(name: string): Slot {
    const slot = this.#slots.get(name);
    if (!slot) throw new Error(`there is no process ${name}`);
    return slot;
  }
}
