import { builtProgram } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection, Keypair } from '@solana/web3.js';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { encodeBase58 } from '../src/encoding/base58.js';
import { decode, Integrator, JUP, POOLS, signedBody, USDC } from './aggregator-client.js';
import { temporaryDir } from './world.js';

const MAIN = builtProgram('sandbox');
const TRADE = { inputMint: USDC, outputMint: JUP, amount: 10_000_000, ...POOLS };

interface Urls {
  readonly rpcUrl: string;
  readonly aggregatorUrl: string;
  readonly adminUrl: string;
}

/** An aggregator in a process of its own, killed without warning. */
describe.each(['0', '40'])('an aggregator after kill -9, a slot each %s ms', (slotMs) => {
  const data = temporaryDir();
  const wallet = Keypair.generate();
  let child: ChildProcess;
  let urls: Urls;
  let v2: Integrator;

  beforeAll(async () => {
    await start();
    await ask('POST', '/faucet', { address: wallet.publicKey.toBase58(), token: 'SOL', amount: 1 });
    await ask('POST', '/faucet', { address: wallet.publicKey.toBase58(), token: 'USDC', amount: 100 });
  });

  afterAll(async () => {
    await kill();
    data.remove();
  });

  async function start(): Promise<void> {
    const ports = ['RPC', 'AGGREGATOR', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0']);
    const env = { ...Object.fromEntries(ports), SANDBOX_DATA_DIR: data.dir, SANDBOX_SLOT_MS: slotMs };
    child = fork(MAIN, { env, execArgv: [] });
    [urls] = (await once(child, 'message')) as [Urls];
    v2 = new Integrator({ sandbox: urls });
  }

  async function kill(): Promise<void> {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async function ask(method: string, route: string, body?: unknown): Promise<Record<string, unknown>> {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await (await fetch(urls.adminUrl + route, init)).json()) as Record<string, unknown>;
  }

  const usdc = async () =>
    (await ask('GET', `/chain/balance?address=${wallet.publicKey.toBase58()}&token=USDC`))['raw'];

  it('has on its chain what it said has landed, and knows no order of before', async () => {
    const order = await v2.order(wallet.publicKey, TRADE);
    const body = signedBody(order, wallet);
    const answer = await v2.execute(body);
    expect(answer.code).toBe(0);
    await kill();
    await start();
    const { value } = await new Connection(urls.rpcUrl).getSignatureStatuses([answer.signature!], {
      searchTransactionHistory: true,
    });
    expect(value[0]).toMatchObject({ err: null, slot: Number(answer.slot) });
    const forgotten = await v2.send(body);
    expect([forgotten.status, await forgotten.json()]).toMatchObject([400, { code: -1 }]);
    expect(await usdc()).toBe('90000000');
  });

  it('never lands what it has reported as failed to land, even for another sender', async () => {
    await ask('POST', '/faults', { part: 'aggregator', fault: 'failedToLand' });
    const body = signedBody(await v2.order(wallet.publicKey, TRADE), wallet);
    expect((await v2.execute(body)).code).toBe(-1000);
    await kill();
    await start();
    const transaction = decode(body['signedTransaction']!);
    const connection = new Connection(urls.rpcUrl);
    await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
    // What is sent after it lands, and it does not.
    await ask('POST', '/faucet', { address: wallet.publicKey.toBase58(), token: 'USDC', amount: 1 });
    expect((await connection.getSignatureStatuses([encodeBase58(transaction.signatures[0]!)])).value[0]).toBeNull();
    expect(await usdc()).toBe('91000000');
  });

  it('trades again', async () => {
    expect(await v2.trade(wallet, TRADE)).toMatchObject({ code: 0 });
    expect(await usdc()).toBe('81000000');
  });
});
