import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { builtProgram } from './built-program.js';

/** URLs of the parts of a sandbox. */
export interface SandboxAddresses {
  readonly adminUrl: string;
  readonly rpcUrl: string;
  readonly aggregatorUrl: string;
  readonly liquidityUrl: string;
  readonly exchangeUrl: string;
  readonly exchangeWsUrl: string;
}

/** A sandbox as a process of its own, with data of its own. */
export interface SandboxProcess {
  readonly addresses: SandboxAddresses;
  stop(): Promise<void>;
}

/** Starts the built sandbox at free ports. @param settings environment variables besides */
export async function startSandboxProcess(settings: Readonly<Record<string, string>> = {}): Promise<SandboxProcess> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
  const ports = Object.fromEntries(
    ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0']),
  );
  const child = spawn(process.execPath, [builtProgram('sandbox')], {
    env: { ...ports, SANDBOX_DATA_DIR: directory, ...settings },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const addresses = await new Promise<SandboxAddresses>((resolve, reject) => {
    child.once('message', (message) => resolve(message as SandboxAddresses));
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}; is it built?`)));
  });
  return { addresses, stop: () => stop(child, directory) };
}

async function stop(child: ChildProcess, directory: string): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  await rm(directory, { recursive: true, force: true });
}

/** The upstreams of a test: what every service's tests ask of them. */
export class TestSandbox {
  /** @param part the one that faults are armed in */
  constructor(
    private readonly sandbox: SandboxProcess,
    private readonly part: 'chain' | 'aggregator' | 'exchange' | 'liquidity',
  ) {}

  get addresses(): SandboxAddresses {
    return this.sandbox.addresses;
  }

  get rpcUrl(): string {
    return this.addresses.rpcUrl;
  }

  stop(): Promise<void> {
    return this.sandbox.stop();
  }

  /** Calls the sandbox's own API. @throws Error with its answer when it refuses */
  async admin<Body>(method: string, route: string, body?: unknown): Promise<Body> {
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(this.addresses.adminUrl + route, init);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Body;
  }

  /** Prices stand still from here on. */
  async freezePrices(): Promise<void> {
    await this.admin('POST', '/prices', { freeze: true });
  }

  /** Sends money from outside, confirmed when this resolves. @returns the signature */
  async faucet(address: string, token: string, amount: number | string): Promise<string> {
    return (await this.admin<{ signature: string }>('POST', '/faucet', { address, token, amount })).signature;
  }

  /** Returns the base units of a token that an address holds on chain. */
  async raw(address: string, token: string): Promise<bigint> {
    return BigInt((await this.admin<{ raw: string }>('GET', `/chain/balance?address=${address}&token=${token}`)).raw);
  }

  /** Arms a fault; `more` may name another part. */
  async arm(fault: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.admin('POST', '/faults', { part: this.part, fault, ...more });
  }

  async disarm(): Promise<void> {
    await this.admin('DELETE', '/faults');
  }
}
