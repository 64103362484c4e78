import { builtProgram, eventually, freePorts } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection, Keypair, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { request } from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { encodeBase58 } from '../src/encoding/base58.js';
import { statusOf, transfer } from './transactions.js';
import { temporaryDir, World } from './world.js';

const MAIN = builtProgram('sandbox');

/** The sandbox as a process of its own, killed without warning. */
describe.each([
  ['final at once', '0'],
  ['with slots', '400'],
])('after kill -9, a chain %s', (_name, slotMs) => {
  const data = temporaryDir();
  let ports: readonly number[];
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    ports = await freePorts(6);
  });

  afterAll(() => {
    child?.kill('SIGKILL');
    data.remove();
  });

  async function start(): Promise<void> {
    const [rpc, ws, aggregator, smtp, admin, exchange] = ports;
    const env = {
      SANDBOX_DATA_DIR: data.dir,
      SANDBOX_SLOT_MS: slotMs,
      SANDBOX_FINALIZE_SLOTS: '5',
      SANDBOX_RPC_PORT: String(rpc),
      SANDBOX_WS_PORT: String(ws),
      SANDBOX_AGGREGATOR_PORT: String(aggregator),
      SANDBOX_EXCHANGE_PORT: String(exchange),
      SANDBOX_SMTP_PORT: String(smtp),
      SANDBOX_ADMIN_PORT: String(admin),
    };
    child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout!, 'data');
    child.stdout!.resume();
    expect(await ask('GET', '/health')).toEqual({ ready: true });
  }

  async function kill(): Promise<void> {
    const gone = new Promise((resolve) => child!.once('exit', resolve));
    child!.kill('SIGKILL');
    await gone;
  }

  async function ask(method: string, route: string, body?: unknown): Promise<Record<string, unknown>> {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await (await fetch(`http://127.0.0.1:${ports[4]}${route}`, init)).json()) as Record<string, unknown>;
  }

  const connect = (): Connection => new Connection(`http://127.0.0.1:${ports[0]}`, 'confirmed');

  it('has everything it had answered, and nothing twice', async () => {
    await start();
    const alice = Keypair.generate();
    const address = alice.publicKey.toBase58();
    await ask('POST', '/faucet', { address, token: 'SOL', amount: 100 });
    const { mint } = await ask('POST', '/mints', { symbol: 'KEPT', decimals: 2, program: 'token-2022', usd: 3 });
    await ask('POST', '/faucet', { address, token: 'KEPT', amount: 7 });
    await ask('POST', '/prices', { freeze: true });
    await ask('POST', '/prices', { token: 'JUP', usd: 0.25 });
    await ask('POST', '/faults', { part: 'chain', fault: 'drop', times: 1 });
    await ask('POST', '/clock', { advanceSeconds: 100 });
    await createTransport({ host: '127.0.0.1', port: ports[3]! }).sendMail({
      from: 'a@x.io',
      to: 'b@x.io',
      subject: 's',
      text: 't',
    });
    const before = connect();
    const { blockhash } = await before.getLatestBlockhash();
    const pay = (lamports: number): VersionedTransaction => {
      const message = new TransactionMessage({
        payerKey: alice.publicKey,
        recentBlockhash: blockhash,
        instructions: [transfer(alice, Keypair.generate().publicKey, lamports)],
      });
      const transaction = new VersionedTransaction(message.compileToV0Message());
      transaction.sign([alice]);
      return transaction;
    };
    const send = (transaction: VersionedTransaction): Promise<string> => post(ports[0]!, transaction);
    const dropped = pay(1_000_001);
    await send(dropped);
    const prices = await ask('GET', '/prices');

    const payments = Array.from({ length: 120 }, (_, i) => pay(10_000_000 + i));
    const acknowledged = new Set<string>();
    const sending = payments.map(async (payment) => acknowledged.add(await send(payment)));
    await eventually(() => acknowledged.size >= 20);
    await kill();
    await Promise.allSettled(sending);
    appendFileSync(path.join(data.dir, 'journal.log'), Buffer.from([9, 0, 0, 0, 1, 2]));

    await start();
    const after = connect();
    await eventually(async () => {
      const statuses = await after.getSignatureStatuses([...acknowledged], { searchTransactionHistory: true });
      return statuses.value.every((status) => status !== null);
    });
    // Sending all of them again lands those that were never taken, and no other a second time.
    for (const payment of payments) await send(payment);
    await send(dropped);
    const all = payments.map((payment) => encodeBase58(payment.signatures[0]!));
    await eventually(async () => {
      const { value } = await after.getSignatureStatuses(all);
      return value.every((status) => status !== null && status.confirmationStatus !== 'processed');
    });
    const spent = payments.reduce((sum, _, i) => sum + 10_000_000 + i + 5_000, 0);
    expect(await after.getBalance(alice.publicKey)).toBe(100_000_000_000 - spent);
    expect((await after.getSignatureStatuses([encodeBase58(dropped.signatures[0]!)])).value[0]).toBeNull();

    expect((await ask('GET', `/chain/balance?address=${address}&token=${String(mint)}`))['raw']).toBe('700');
    expect((await ask('GET', '/inbox?to=b@x.io'))['messages']).toMatchObject([{ subject: 's', text: 't\n' }]);
    expect((await ask('GET', '/faults'))['faults']).toMatchObject([{ fault: 'drop', used: 1 }]);
    const withoutSlots = (list: Record<string, unknown>): unknown =>
      (list['prices'] as Array<{ token: string; usd: number }>).map(({ token, usd }) => [token, usd]);
    expect(withoutSlots(await ask('GET', '/prices'))).toEqual(withoutSlots(prices));
  });

  it('shows the same slots, times, errors and bytes after another kill', async () => {
    const { transactions } = (await ask('GET', '/chain/transactions?address=11111111111111111111111111111111')) as {
      transactions: Array<{ signature: string; slot: number }>;
    };
    const sample = transactions.slice(0, 20);
    const read = (): Promise<unknown> =>
      Promise.all(
        sample.map(async ({ signature, slot }) => [
          await connect().getTransaction(signature, { maxSupportedTransactionVersion: 0 }),
          await connect().getBlockTime(slot),
          (await connect().getSignatureStatuses([signature], { searchTransactionHistory: true })).value[0]!.slot,
        ]),
      );
    const { lastValidBlockHeight, blockhash } = await connect().getLatestBlockhash();
    const expected = await read();
    await kill();
    await start();
    expect(await read()).toEqual(expected);
    expect((await ask('GET', '/chain/transactions?address=11111111111111111111111111111111'))['transactions']).toEqual(
      transactions,
    );
    expect((await connect().isBlockhashValid(blockhash, { commitment: 'processed' })).value).toBe(true);
    expect(await connect().getBlockHeight()).toBeLessThanOrEqual(lastValidBlockHeight);
  });

  it('refuses a second process on the same data', async () => {
    const env = { SANDBOX_DATA_DIR: data.dir, SANDBOX_RPC_PORT: '0', SANDBOX_ADMIN_PORT: '0' };
    const { status, stderr } = spawnSync(process.execPath, [MAIN], { env, timeout: 300_000 });
    expect(status).toBe(1);
    expect(stderr.toString()).toContain(`in use by process ${child!.pid}`);
  });

  it('ends by itself when it is asked to', async () => {
    const gone = new Promise((resolve) => child!.once('exit', (code) => resolve(code)));
    child!.kill('SIGTERM');
    expect(await gone).toBe(0);
    child = undefined;
  });
});

describe('a chain that is started with another slot time', () => {
  it('goes on from where it stood, with the old slots as they were', async () => {
    const data = temporaryDir();
    const paces = ['0', '20', '0', '50'];
    const landed: Array<{ signature: string; slot: number; time: number | null }> = [];
    for (const timing of paces) {
      const world = await World.start({
        SANDBOX_DATA_DIR: data.dir,
        SANDBOX_SLOT_MS: timing,
        SANDBOX_FINALIZE_SLOTS: '5',
      });
      const slot = await world.connection.getSlot('processed');
      await eventually(async () => timing === '0' || (await world.connection.getSlot('processed')) >= slot + 5);
      // The chain goes on between two answers: what is to be the later slot is asked for last, or first.
      const commitments =
        timing === '0' ? (['processed', 'finalized'] as const) : (['finalized', 'processed'] as const);
      const first = await world.connection.getSlot(commitments[0]);
      const second = await world.connection.getSlot(commitments[1]);
      expect(second - first).toBeGreaterThanOrEqual(timing === '0' ? 0 : 1);
      const wallet = await world.funded(['SOL', 1], ['USDC', 1]);
      for (const { signature, slot: at } of await world.connection.getSignaturesForAddress(wallet.publicKey)) {
        landed.push({ signature, slot: at, time: await world.connection.getBlockTime(at) });
      }
      for (const { signature, slot: at, time } of landed) {
        expect((await statusOf(world, signature))!.slot).toBe(at);
        expect(await world.connection.getBlockTime(at)).toBe(time);
        expect(at).toBeLessThanOrEqual(await world.connection.getSlot('processed'));
      }
      await world.stop();
    }
    expect(landed).toHaveLength(2 * paces.length);
    data.remove();
  });
});

/** Sends bytes over a connection of their own, which a kill cuts. */
function post(port: number, transaction: VersionedTransaction): Promise<string> {
  const params = [Buffer.from(transaction.serialize()).toString('base64'), { encoding: 'base64', skipPreflight: true }];
  return new Promise((resolve, reject) => {
    const sending = request({ port, host: '127.0.0.1', method: 'POST', agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve((JSON.parse(text) as { result: string }).result));
      response.on('error', reject);
    });
    sending.on('error', reject);
    sending.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }));
  });
}
