import { Connection, Keypair, PublicKey } from '@solana/web3.js';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type RunningSandbox, sandboxSettings, startSandbox } from '../src/index.js';
import { type Disk, systemDisk } from '../src/journal/disk.js';

export const USDC = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');

const EPHEMERAL = {
  SANDBOX_RPC_PORT: '0',
  SANDBOX_AGGREGATOR_PORT: '0',
  SANDBOX_EXCHANGE_PORT: '0',
  SANDBOX_SMTP_PORT: '0',
  SANDBOX_ADMIN_PORT: '0',
};

/** A directory that is removed with `remove`. */
export function temporaryDir(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'sandbox-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** What admin calls answer. */
export interface AdminReply {
  readonly status: number;
  readonly body: Record<string, never>;
}

/** A sandbox of its own with the clients tests use. */
export class World {
  readonly connection: Connection;

  private constructor(
    readonly sandbox: RunningSandbox,
    private readonly cleanUp: () => void,
  ) {
    this.connection = new Connection(sandbox.rpcUrl, { commitment: 'confirmed', wsEndpoint: sandbox.wsUrl });
  }

  static async start(env: Record<string, string> = {}, disk: Disk = systemDisk): Promise<World> {
    const { dir, remove } = temporaryDir();
    const sandbox = await startSandbox(
      sandboxSettings({ ...EPHEMERAL, SANDBOX_SLOT_MS: '0', SANDBOX_DATA_DIR: dir, ...env }),
      disk,
    ).catch((error: unknown) => {
      remove();
      throw error;
    });
    return new World(sandbox, remove);
  }

  async stop(): Promise<void> {
    closeSocket(this.connection);
    await this.sandbox.stop();
    this.cleanUp();
  }

  /** Calls the admin API. */
  async admin(method: string, route: string, body?: unknown): Promise<AdminReply> {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(this.sandbox.adminUrl + route, init);
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  }

  /** A new wallet with money from the faucet. */
  async funded(...funds: Array<readonly [token: string, amount: number]>): Promise<Keypair> {
    const wallet = Keypair.generate();
    for (const [token, amount] of funds) {
      const { status, body } = await this.admin('POST', '/faucet', {
        address: wallet.publicKey.toBase58(),
        token,
        amount,
      });
      if (status !== 200) throw new Error(JSON.stringify(body));
    }
    return wallet;
  }

  /** Base units straight from the chain's accounts. */
  async raw(wallet: PublicKey, token: string): Promise<bigint> {
    const { body } = await this.admin('GET', `/chain/balance?address=${wallet.toBase58()}&token=${token}`);
    return BigInt(body['raw']!);
  }

  /** A JSON-RPC call without a client in between. */
  async rpc(
    method: string,
    params: unknown[] = [],
  ): Promise<{ result?: never; error?: { code: number; message: string; data?: never } }> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(this.sandbox.rpcUrl, { method: 'POST', body });
    return (await response.json()) as never;
  }

  async arm(fault: string, more: Record<string, unknown> = {}, part = 'chain'): Promise<void> {
    const { status, body } = await this.admin('POST', '/faults', { part, fault, ...more });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
}

/** The SDK opens its socket again whenever it closes; a test has to end it. */
function closeSocket(connection: Connection): void {
  const socket = (
    connection as unknown as { _rpcWebSocket: { setAutoReconnect?: (on: boolean) => void; close(): void } }
  )._rpcWebSocket;
  socket.setAutoReconnect?.(false);
  try {
    socket.close();
  } catch {
    // It was never opened.
  }
}
