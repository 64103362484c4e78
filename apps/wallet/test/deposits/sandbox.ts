import { eventually } from '@agent-wallet/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  Connection,
  Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';

interface Addresses {
  readonly rpcUrl: string;
  readonly adminUrl: string;
}

/** The outside world as a process of its own, with the money of strangers. */
export class Sandbox {
  readonly connection: Connection;

  private constructor(
    private readonly child: ChildProcess,
    private readonly addresses: Addresses,
    private readonly directory: string,
  ) {
    this.connection = new Connection(addresses.rpcUrl, 'confirmed');
  }

  /** Starts it with a chain of that timing; 31 slots later a slot is final. */
  static async start(slotMs = 20): Promise<Sandbox> {
    const directory = await mkdtemp(path.join(tmpdir(), 'deposits-'));
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
    return new Sandbox(child, addresses, directory);
  }

  get rpcUrl(): string {
    return this.addresses.rpcUrl;
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

  /** Money from outside, confirmed when this resolves. @returns the signature */
  async faucet(address: string, token: string, amount: number | string): Promise<string> {
    return (await this.admin<{ signature: string }>('POST', '/faucet', { address, token, amount })).signature;
  }

  /** One transaction for each of the addresses, sent at the same time. */
  async faucetMany(addresses: readonly string[], token: string, amount: number): Promise<string[]> {
    return (await this.admin<{ signatures: string[] }>('POST', '/faucet', { addresses, token, amount })).signatures;
  }

  async arm(fault: string, more: Record<string, unknown> = {}): Promise<void> {
    await this.admin('POST', '/faults', { part: 'chain', fault, ...more });
  }

  async disarm(): Promise<void> {
    await this.admin('DELETE', '/faults');
  }

  /** Base units of a token that an address holds on chain. */
  async raw(address: string, token: string): Promise<bigint> {
    return BigInt((await this.admin<{ raw: string }>('GET', `/chain/balance?address=${address}&token=${token}`)).raw);
  }

  /** A stranger with money. */
  async stranger(...funds: Array<readonly [token: string, amount: number]>): Promise<Keypair> {
    const keypair = Keypair.generate();
    for (const [token, amount] of funds) await this.faucet(keypair.publicKey.toBase58(), token, amount);
    return keypair;
  }

  /** Sends a transaction of these signers, the first of which pays; confirmed when this resolves. */
  async send(signers: readonly [Keypair, ...Keypair[]], ...instructions: TransactionInstruction[]): Promise<string> {
    const { blockhash } = await this.connection.getLatestBlockhash('confirmed');
    const message = new TransactionMessage({
      payerKey: signers[0].publicKey,
      recentBlockhash: blockhash,
      instructions,
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    transaction.sign([...signers]);
    const signature = await this.connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
    await eventually(async () => {
      const { value } = await this.connection.getSignatureStatuses([signature], { searchTransactionHistory: true });
      const status = value[0]?.confirmationStatus;
      return status === 'confirmed' || status === 'finalized';
    });
    return signature;
  }
}

/** Lamports from one wallet to another. */
export function lamports(from: Keypair, to: PublicKey, amount: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: amount });
}
