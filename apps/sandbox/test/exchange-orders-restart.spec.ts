import { builtProgram } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { MEMBER, signed } from './exchange-member.js';
import { temporaryDir } from './world.js';

const MAIN = builtProgram('sandbox');
const PARTS = ['RPC', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'];

/** An exchange in a process of its own, killed without warning. */
describe('an exchange after kill -9', () => {
  const data = temporaryDir();
  let child: ChildProcess;
  let urls: { exchangeUrl: string; adminUrl: string };

  beforeAll(start);
  afterAll(async () => {
    await kill();
    data.remove();
  });

  async function start(): Promise<void> {
    const publicKeyPath = path.join(data.dir, 'exchange.pem');
    writeFileSync(publicKeyPath, MEMBER.publicKeyPem);
    const env = {
      ...Object.fromEntries(PARTS.map((part) => [`SANDBOX_${part}_PORT`, '0'])),
      SANDBOX_DATA_DIR: data.dir,
      SANDBOX_EXCHANGE_KEY_ID: MEMBER.id,
      SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: publicKeyPath,
    };
    child = fork(MAIN, { env, execArgv: [] });
    [urls] = (await once(child, 'message')) as [typeof urls];
  }

  async function kill(): Promise<void> {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async function ask(method: string, route: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const url = new URL(urls.exchangeUrl + route);
    const headers = signed(method, url.pathname, Date.now());
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json() };
  }

  async function admin(route: string, body: unknown): Promise<void> {
    const response = await fetch(urls.adminUrl + route, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(200);
  }

  const account = () =>
    Promise.all(
      ['balance', 'orders', 'fills', 'positions', 'settlements'].map((list) => ask('GET', `/portfolio/${list}`)),
    );

  it('has every order that it had accepted, the same money, and pays no market again', async () => {
    const market = { title: 'Rain', yesAsk: 45, yesBid: 40, size: 100 };
    await admin('/markets', { ...market, ticker: 'RAIN' });
    await admin('/markets', { ...market, ticker: 'SNOW' });
    const order = {
      side: 'bid',
      count: '3.50',
      price: '0.4500',
      time_in_force: 'immediate_or_cancel',
      self_trade_prevention_type: 'taker_at_cross',
    };
    const rain = { ...order, ticker: 'RAIN', client_order_id: 'rain' };
    expect(await ask('POST', '/portfolio/events/orders', rain)).toMatchObject({ status: 201 });
    await admin('/markets/RAIN/settle', { result: 'yes' });
    const snow = { ...order, ticker: 'SNOW', client_order_id: 'snow' };
    expect(await ask('POST', '/portfolio/events/orders', snow)).toMatchObject({ body: { fill_count: '3.50' } });
    await kill();
    await start();
    const before = await account();
    expect(before).toMatchObject([
      { status: 200 },
      { body: { orders: [{ client_order_id: 'snow' }, { client_order_id: 'rain' }] } },
      { body: { fills: [{ ticker: 'SNOW' }, { ticker: 'RAIN' }] } },
      { body: { market_positions: [{ ticker: 'SNOW', position_fp: '3.50' }] } },
      { body: { settlements: [{ ticker: 'RAIN', revenue: 350 }] } },
    ]);
    expect(await ask('POST', '/portfolio/events/orders', snow)).toMatchObject({ status: 409 });
    await kill();
    await start();
    expect(await account()).toEqual(before);
  });
});
