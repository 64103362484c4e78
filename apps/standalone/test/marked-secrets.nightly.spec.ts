import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { METRICS } from '@agent-wallet/telemetry';
import { eventually, freePort } from '@agent-wallet/testing';
import { AgentClient, callJson, type Envelope, SandboxClient } from '../src/index.js';
import { type Collector, startCollector } from './harness/collector.js';
import { Copies, type Copy } from './harness/copies.js';
import { foundIn, mark, secretsIn } from './harness/marked-secrets.js';
import { readPrometheus, type Sample } from './harness/prometheus.js';
import { newRecipient } from './harness/recipient.js';

const copies = new Copies('main');
const aggregatorKey = mark('aggregator-key-');
const collectorKey = mark('collector-key-');
/** Upper and lower case: addresses are kept in lower case. */
const email = `${mark('person-')}@private.example`;
const marked = new Map<string, string>([
  ["aggregator's key", aggregatorKey],
  ["collector's key", collectorKey],
  ['e-mail', email],
]);

let collector: Collector;
let directory: string;
let copy: Copy;
let sandbox: SandboxClient;
let agent: AgentClient;
let metricsUrl: string;

beforeAll(async () => {
  collector = await startCollector();
  directory = await copies.dataDir();
  const metricsAddress = `127.0.0.1:${await freePort()}`;
  metricsUrl = `http://${metricsAddress}/metrics`;
  copy = await copies.start(directory, {
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${collectorKey}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    METRICS_ADDRESS: metricsAddress,
    JUPITER_API_KEY: aggregatorKey,
    RATE_LIMIT_IP_PER_MINUTE: '100000',
    RATE_LIMIT_AGENT_PER_MINUTE: '100000',
    RATE_LIMIT_OTP_START_PER_10_MINUTES: '1000',
  });
  sandbox = new SandboxClient(copy.adminUrl);
  await sandbox.setPrice({ freeze: true });
  await sandbox.setPrice({ token: 'USDC', usd: 1 });
});

afterAll(async () => {
  await copies.clean();
  await collector?.stop();
});

/** A secret with which a request is made, and which the answer may repeat but nothing else. */
function secret(what: string): string {
  const text = mark(`${what.replaceAll(' ', '-')}-`);
  marked.set(what, text);
  return text;
}

async function post(route: string, body: string | object, headers: Record<string, string> = {}): Promise<number> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { 'content-type': 'application/json', ...headers };
  return (await fetch(copy.url + route, { method: 'POST', headers: all, body: text })).status;
}

/** What every process has printed, at every level. */
const logs = (): string => copy.output();

/** Every payload that is or was on its way to history, and every outbox, as text. */
async function events(): Promise<string> {
  const pidFile = await readFile(path.join(directory, 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
  const { postgres } = JSON.parse(await readFile(path.join(directory, 'postgres', 'passwords.json'), 'utf8')) as {
    postgres: string;
  };
  const port = Number(pidFile.split('\n')[3]);
  const open = (database: string) =>
    new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: postgres, database });
  const names = open('postgres');
  await names.connect();
  const { rows } = await names.query<{ datname: string }>('select datname from pg_database where not datistemplate');
  await names.end();
  const texts: string[] = [];
  for (const { datname } of rows) {
    const client = open(datname);
    await client.connect();
    const tables = await client.query<{ place: string }>(
      `select format('%I.%I', table_schema, table_name) as place from information_schema.columns
       where column_name = 'payload' and data_type = 'bytea'`,
    );
    for (const { place } of tables.rows) {
      const { rows: found } = await client.query<{ payload: Buffer }>(`select payload from ${place}`);
      texts.push(...found.map(({ payload }) => payload.toString('latin1')));
    }
    await client.end();
  }
  return texts.join('\n');
}

/** Does all that an agent may do, right and wrong, with secrets wherever a request has room for one. */
async function doEverything(): Promise<void> {
  await logIn();
  await sandbox.faucet(agent.address, 'SOL', 2);
  await sandbox.faucet(agent.address, 'USDC', 100);
  const key = secret('idempotency key');
  for (const _ of ['first', 'again']) await agent.transfer({ to: newRecipient(), amount: 0.1 }, key);
  expect((await agent.transfer({ to: newRecipient(), amount: 0.1 })).status).toBe(200);
  expect((await agent.transfer({ to: newRecipient(), amount: 1_000_000 })).status).toBeGreaterThanOrEqual(400);
  await agent.trade({ from: 'USDC', to: 'SOL', amount: 5 });
  await sandbox.addMarket({ ticker: 'MARKED-1', title: 'Marked?', yesBid: 60, yesAsk: 65, size: 1_000 });
  await agent.predictions.buy({ ticker: 'MARKED-1', side: 'yes', count: 2 });
  expect((await agent.patchPolicy({ dailyLimitInUsd: 400 })).status).toBe(200);
  await agent.history('transfer');
  await agent.balances();
  await sandbox.arm({ part: 'aggregator', fault: 'error500', times: 3 });
  await agent.trade({ from: 'USDC', to: 'SOL', amount: 5 });
  await sandbox.disarm();
  const unpriced = await sandbox.createMint({ symbol: 'NONE', decimals: 6 });
  await sandbox.faucet(agent.address, unpriced, 5);
  await agent.transfer({ to: newRecipient(), amount: 1, mint: unpriced });
  await misbehave();
}

/** A wrong code, the right one, and a refreshed session. */
async function logIn(): Promise<void> {
  const started = await callJson<Envelope<{ otpId: string }>>(`${copy.url}/connect/start`, { body: { email } });
  const { otpId } = started.body.data;
  const code = await sandbox.otp(email);
  marked.set('otp', code);
  const wrong = code === '135791' ? '135792' : '135791';
  expect(await post('/connect/complete', { email, otpId, otpCode: wrong })).toBe(401);
  const done = await callJson<Envelope<{ sessionToken: string }>>(`${copy.url}/connect/complete`, {
    body: { email, otpId, otpCode: code },
  });
  markToken('token', done.body.data.sessionToken);
  const headers = { authorization: `Bearer ${done.body.data.sessionToken}` };
  const fresh = await callJson<Envelope<{ sessionToken: string }>>(`${copy.url}/connect/refresh`, {
    body: {},
    headers,
  });
  expect(fresh.status).toBe(200);
  markToken('refreshed token', fresh.body.data.sessionToken);
  agent = await AgentClient.logIn(copy.url, sandbox, email);
  marked.set('second otp', await sandbox.otp(email));
  markToken('second token', agent.token);
}

function markToken(what: string, token: string): void {
  marked.set(`${what}'s signature`, token.split('.')[2]!);
  marked.set(`${what}'s claims`, token.split('.')[1]!);
}

async function misbehave(): Promise<void> {
  const bearer = { authorization: `Bearer ${agent.token}` };
  await post('/connect/start', `{"email":"${secret('mail in malformed JSON')}`);
  await post('/connect/start', { email: secret('an invalid mail address') });
  await post('/connect/complete', { email, otpId: secret('wrong otp id'), otpCode: secret('wrong code') });
  await post('/wallets/me/actions/transfer', `{"to":"${secret('malformed transfer')}",`, bearer);
  await post('/wallets/me/actions/transfer', { to: secret('no address'), amount: 1 }, bearer);
  await post('/wallets/me/actions/transfer', { to: newRecipient(), amount: secret('no amount') }, bearer);
  await post(`/${secret('unknown route')}`, { any: secret('body of an unknown route') });
  for (const path_ of ['/wallets/me/history', '/wallets/me/balances']) {
    const token = `e30.${secret(`claims at ${path_.slice(9)}`)}.${secret(`signature at ${path_.slice(9)}`)}`;
    await fetch(`${copy.url}${path_}?apiKey=${secret(`query of ${path_.slice(9)}`)}`, {
      headers: { authorization: `Bearer ${token}`, cookie: secret(`cookie of ${path_.slice(9)}`) },
    });
  }
  // A mail server that names whom it refuses.
  await sandbox.arm({ part: 'mail', fault: 'reject', times: 1 });
  expect(await post('/connect/start', { email })).toBe(502);
  await sandbox.arm({ part: 'mail', fault: 'defer', times: 1 });
  expect(await post('/connect/start', { email })).toBe(200);
  await sandbox.disarm();
  expect((await agent.logOut()).status).toBe(200);
}

async function scrape(): Promise<Sample[]> {
  const response = await fetch(metricsUrl);
  expect(response.status).toBe(200);
  return readPrometheus(await response.text());
}

/** Metrics that only show where Kafka carries the stream, when something fails or floods, or when an owner is asked. */
const RARE: ReadonlySet<string> = new Set([
  METRICS.loopFailures.name,
  METRICS.gaugeFailures.name,
  METRICS.eventsPublishFailures.name,
  METRICS.streamRetries.name,
  METRICS.streamRejoins.name,
  METRICS.deadLetters.name,
  METRICS.approvalsRequested.name,
  METRICS.approvalsDecided.name,
  METRICS.assertionsRejected.name,
  METRICS.mailsLimited.name,
  METRICS.connectionsRefused.name,
]);

describe('telemetry with everything on', () => {
  it('tells no secret in logs, spans, metrics or events', async () => {
    await doEverything();
    for (const [what, text] of await secretsIn(directory)) marked.set(what, text);
    await eventually(
      async () => collector.spans.filter(({ name }) => name === 'process audit.v1').length,
      (count) => count > 20,
    );
    await eventually(
      async () => collector.metrics,
      (names) => names.has(METRICS.httpServerDuration.name) && names.has(METRICS.operationChanges.name),
    );
    const [published, metrics] = [await events(), await (await fetch(metricsUrl)).text()];
    expect(published).toContain('transfer');
    expect(logs()).toContain('"traceId"');
    expect({
      logs: foundIn(logs(), marked),
      spansAndMetrics: foundIn(collector.text(), marked),
      metrics: foundIn(metrics, marked),
      events: foundIn(published, marked),
    }).toEqual({ logs: [], spansAndMetrics: [], metrics: [], events: [] });
    expect(marked.size).toBeGreaterThan(30);
  });

  it('serves what it declares as Prometheus reads it, each number with its service', async () => {
    const samples = await scrape();
    const names = new Set(samples.map(({ name }) => name.replace(/_(total|bucket|count|sum)$/, '')));
    const declared = Object.values(METRICS).filter(({ name }) => !RARE.has(name));
    expect(declared.map(({ name }) => name.replaceAll('.', '_')).filter((name) => !names.has(name))).toEqual([]);
    const services = samples.filter(({ name }) => name === 'agentwallet_outbox_size').map(({ labels }) => labels);
    expect(services.map((labels) => labels['agentwallet_service']).sort()).toEqual(
      ['gateway', 'policy', 'prediction', 'swap', 'wallet'].sort(),
    );
    const unnamed = samples.filter(({ name, labels }) => name !== 'target_info' && !labels['agentwallet_service']);
    expect(unnamed).toEqual([]);
  });

  it('answers a scrape while the database is away', async () => {
    const [pid] = (await readFile(path.join(directory, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGKILL');
    for (let n = 0; n < 20; n += 1) {
      expect((await scrape()).length).toBeGreaterThan(20);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
});
