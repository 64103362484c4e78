import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

interface Addresses {
  readonly rpcUrl: string;
  readonly adminUrl: string;
  readonly aggregatorUrl: string;
}

/** A transaction that landed. */
export interface SandboxTransaction {
  readonly signature: string;
  readonly err: unknown;
}

/** A token account on chain. */
export interface SandboxAccount {
  readonly address: string;
  readonly mint: string;
  readonly amount: string;
  readonly delegate: string | null;
  readonly closeAuthority: string | null;
}

/** The outside world as a process of its own: a chain, pools, makers and an aggregator. */
export class Sandbox {
  private constructor(
    private readonly child: ChildProcess,
    private readonly addresses: Addresses,
    private readonly directory: string,
  ) {}

  /** Starts it with a chain of that timing; 31 slots later a slot is final. Prices stand still. */
  static async start(slotMs = 50): Promise<Sandbox> {
    const directory = await mkdtemp(path.join(tmpdir(), 'swaps-'));
    const packageFile = createRequire(import.meta.url).resolve('@agent-wallet/sandbox/package.json');
    const ports = Object.fromEntries(
      ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0']),
    );
    const child = spawn(process.execPath, [path.join(path.dirname(packageFile), 'dist', 'main.js')], {
      env: { ...ports, SANDBOX_DATA_DIR: directory, SANDBOX_SLOT_MS: String(slotMs) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const addresses = await new Promise<Addresses>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Addresses));
      child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}; is it built?`)));
    });
    const sandbox = new Sandbox(child, addresses, directory);
    await sandbox.admin('POST', '/prices', { freeze: true });
    return sandbox;
  }

  get rpcUrl(): string {
    return this.addresses.rpcUrl;
  }

  get aggregatorUrl(): string {
    return this.addresses.aggregatorUrl;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
    await rm(this.directory, { recursive: true, force: true });
  }

  async admin<Body>(method: string, route: string, body?: unknown): Promise<Body> {
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(this.addresses.adminUrl + route, init);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Body;
  }

  /** Money from outside, confirmed when this resolves. */
  async faucet(address: string, token: string, amount: number | string): Promise<void> {
    await this.admin('POST', '/faucet', { address, token, amount });
  }

  /** Arms a fault of the aggregator, unless another part is named. */
  async arm(fault: string, more: Record<string, unknown> = {}): Promise<void> {
    await this.admin('POST', '/faults', { part: 'aggregator', fault, ...more });
  }

  async disarm(): Promise<void> {
    await this.admin('DELETE', '/faults');
  }

  /** Base units of a token that an address holds on chain. */
  async raw(address: string, token: string): Promise<bigint> {
    return BigInt((await this.admin<{ raw: string }>('GET', `/chain/balance?address=${address}&token=${token}`)).raw);
  }

  /** Whatever landed and touched an address, newest first, failed ones too. */
  async transactions(address: string): Promise<readonly SandboxTransaction[]> {
    const route = `/chain/transactions?address=${address}`;
    return (await this.admin<{ transactions: SandboxTransaction[] }>('GET', route)).transactions;
  }

  /** Token accounts of an owner. */
  async accounts(owner: string): Promise<readonly SandboxAccount[]> {
    return (await this.admin<{ accounts: SandboxAccount[] }>('GET', `/chain/accounts?owner=${owner}`)).accounts;
  }
}
