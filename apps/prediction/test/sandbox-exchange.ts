import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testKey } from './kalshi-server.js';

interface Addresses {
  readonly adminUrl: string;
  readonly exchangeUrl: string;
  readonly exchangeWsUrl: string;
}

/** The outside world as a process of its own, for its exchange: prices stand still, the account is `testKey`'s. */
export class SandboxExchange {
  private constructor(
    private readonly child: ChildProcess,
    private readonly addresses: Addresses,
    private readonly directory: string,
  ) {}

  static async start(tier: 'basic' | 'advanced' = 'advanced'): Promise<SandboxExchange> {
    const directory = await mkdtemp(path.join(tmpdir(), 'exchange-'));
    const keyFile = path.join(directory, 'exchange.pem');
    await writeFile(keyFile, testKey.publicKey.export({ type: 'spki', format: 'pem' }));
    const packageFile = createRequire(import.meta.url).resolve('@agent-wallet/sandbox/package.json');
    const ports = Object.fromEntries(
      ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0']),
    );
    const key = { SANDBOX_EXCHANGE_KEY_ID: testKey.id, SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: keyFile };
    const child = spawn(process.execPath, [path.join(path.dirname(packageFile), 'dist', 'main.js')], {
      env: { ...ports, ...key, SANDBOX_EXCHANGE_TIER: tier, SANDBOX_DATA_DIR: path.join(directory, 'data') },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const addresses = await new Promise<Addresses>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Addresses));
      child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}; is it built?`)));
    });
    const sandbox = new SandboxExchange(child, addresses, directory);
    await sandbox.admin('POST', '/prices', { freeze: true });
    return sandbox;
  }

  get url(): string {
    return this.addresses.exchangeUrl;
  }

  get wsUrl(): string {
    return this.addresses.exchangeWsUrl;
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

  /** A market of its own with so many contracts on both sides: yes is bid at 40 and asked at 42 cents. */
  async addMarket(ticker: string, size = 100): Promise<void> {
    await this.admin('POST', '/markets', { ticker, title: ticker, yesAsk: 42, yesBid: 40, size });
  }

  async arm(fault: string, more: Record<string, unknown> = {}): Promise<void> {
    await this.admin('POST', '/faults', { part: 'exchange', fault, ...more });
  }

  async disarm(): Promise<void> {
    await this.admin('DELETE', '/faults');
  }
}
