import { silent } from '@agent-wallet/platform/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { operationsV1, predictionV1 } from '@agent-wallet/contracts';
import { newId, Secret } from '@agent-wallet/kernel';
import {
  loadTls,
  migrate,
  openDatabase,
  openRpcClient,
  type RpcClient,
  type ServiceName,
} from '@agent-wallet/platform';
import { openTestDatabase, testCertificates } from '@agent-wallet/testing';
import { predictionMigrations, startPrediction } from '../src/index.js';
import { testKey } from './kalshi-server.js';

/** The four services behind the one address. */
interface Doors {
  readonly prediction: RpcClient<typeof predictionV1.PredictionServiceService>;
  readonly catalog: RpcClient<typeof predictionV1.CatalogServiceService>;
  readonly ledger: RpcClient<typeof predictionV1.LedgerServiceService>;
  readonly operations: RpcClient<typeof operationsV1.OperationsServiceService>;
}

const NAMES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history', 'ops'] as const;

const agentId = newId();
const order = { agentId, ticker: 'M', side: predictionV1.Side.SIDE_YES, count: 1, countHundredths: 1n };
const asked = { operationId: newId(), waitMs: 0, cancelIfNotStarted: true };
const note = { operator: 'x', reason: 'y' };

/** A method of each kind, who may call it, and a call of it. */
const METHODS: ReadonlyArray<[string, ServiceName, (doors: Doors) => Promise<unknown>]> = [
  ['buy', 'gateway', ({ prediction }) => prediction.buy({ ...order, ...asked })],
  ['dryRunBuy', 'gateway', ({ prediction }) => prediction.dryRunBuy(order)],
  ['sell', 'gateway', ({ prediction }) => prediction.sell({ ...order, ...asked, operationId: newId() })],
  ['dryRunSell', 'gateway', ({ prediction }) => prediction.dryRunSell(order)],
  [
    'withdraw',
    'gateway',
    ({ prediction }) => prediction.withdraw({ ...asked, agentId, operationId: newId(), amountUsdMicros: 10_000n }),
  ],
  ['getBalance', 'gateway', ({ prediction }) => prediction.getBalance({ agentId })],
  ['listPositions', 'gateway', ({ prediction }) => prediction.listPositions({ agentId })],
  ['listOrders', 'gateway', ({ prediction }) => prediction.listOrders({ agentId, ticker: '', limit: 1, cursor: '' })],
  ['getMarket', 'gateway', ({ catalog }) => catalog.getMarket({ agentId, ticker: 'M' })],
  ['attributeFunds', 'ops', ({ ledger }) => ledger.attributeFunds({ location: 'x', amountUsdMicros: 0n, ...note })],
  ['resumeOrders', 'ops', ({ ledger }) => ledger.resumeOrders(note)],
  ['abandonOrder', 'ops', ({ ledger }) => ledger.abandonOrder({ operationId: newId(), ...note })],
  ['listOpenOperations', 'ops', ({ operations }) => operations.listOpenOperations({ minAgeMs: 0, limit: 0 })],
];

let stop: () => Promise<void>;
let as: (name: ServiceName) => Promise<Doors>;

beforeAll(async () => {
  const test = await openTestDatabase(['prediction'], ['prediction']);
  const role = (name: 'prediction' | 'prediction_owner') => ({
    ...test.schemas[name],
    password: new Secret(test.schemas[name].password),
  });
  const owner = openDatabase({ connection: role('prediction_owner'), schema: 'prediction', logger: silent });
  await migrate(owner, predictionMigrations.directory);
  await owner.close();
  const directory = await mkdtemp(path.join(tmpdir(), 'prediction-'));
  const certificates = await testCertificates(NAMES);
  const privateKeyPath = path.join(directory, 'exchange.pem');
  await writeFile(privateKeyPath, testKey.pem.reveal());
  const nobody = '127.0.0.1:1';
  const service = await startPrediction(
    {
      ...{ grpcAddress: '127.0.0.1:0', database: role('prediction'), tls: certificates.prediction },
      ...{
        logLevel: 'silent',
        stream: { kind: 'postgres' },
        priceToleranceCents: 2,
        minWithdrawalCents: 100,
      },
      ...{ policyAddress: nobody, walletAddress: nobody },
      kalshi: { baseUrl: `http://${nobody}/trade-api/v2`, apiKeyId: testKey.id, privateKeyPath },
    },
    { logger: silent, timing: { graceMs: 0, retryMs: 10 } },
  );
  const clients: { close(): void }[] = [];
  const opened = new Map<ServiceName, Promise<Doors>>();
  const open = async (name: ServiceName) => {
    const door = {
      peer: { address: service.address, service: 'prediction' },
      tls: await loadTls(certificates[name]),
    } as const;
    const doors = {
      prediction: openRpcClient({ definition: predictionV1.PredictionServiceService, ...door }),
      catalog: openRpcClient({ definition: predictionV1.CatalogServiceService, ...door }),
      ledger: openRpcClient({ definition: predictionV1.LedgerServiceService, ...door }),
      operations: openRpcClient({ definition: operationsV1.OperationsServiceService, ...door }),
    };
    clients.push(...Object.values(doors));
    return doors;
  };
  as = (name) => {
    const doors = opened.get(name) ?? open(name);
    opened.set(name, doors);
    return doors;
  };
  stop = async () => {
    for (const client of clients) client.close();
    await service.stop();
    await test.close();
    await rm(directory, { recursive: true });
  };
});
afterAll(() => stop?.());

const codeOf = async (name: ServiceName, call: (doors: Doors) => Promise<unknown>) =>
  call(await as(name)).then(
    () => 'OK',
    (error: { code?: string }) => error.code,
  );

describe.each(METHODS)('%s', (_, allowed, call) => {
  it('refuses every other caller', async () => {
    const others = NAMES.filter((name) => name !== allowed);
    const codes = await Promise.all(others.map((name) => codeOf(name, call)));
    expect(new Set(codes)).toEqual(new Set(['CALLER_NOT_ALLOWED']));
  });

  // No peer is running: an accepted call finds no policy, no exchange, or nothing that it may start.
  it(`lets ${allowed} in`, async () => {
    const reached = /^(OK|SERVICE_UNAVAILABLE|UPSTREAM_ERROR|UPSTREAM_TIMEOUT|TRANSACTION_EXPIRED|VALIDATION_ERROR)$/;
    expect(await codeOf(allowed, call)).toMatch(reached);
  });
});

describe('an order through the door', () => {
  it('names the field that is wrong', async () => {
    const { prediction } = await as('gateway');
    const field = (name: string) => expect.objectContaining({ details: [expect.objectContaining({ field: name })] });
    const buy = { ...order, ...asked, operationId: newId() };
    const side = predictionV1.Side.SIDE_UNSPECIFIED;
    await expect(prediction.buy({ ...buy, side })).rejects.toEqual(field('side'));
    await expect(prediction.buy({ ...buy, count: 0 })).rejects.toEqual(field('count'));
    await expect(prediction.sell({ ...buy, countHundredths: 0n })).rejects.toEqual(field('count'));
    await expect(prediction.sell({ ...buy, minPriceUsdMicros: 1_000_000n })).rejects.toEqual(field('minPriceDollars'));
    await expect(prediction.listOrders({ agentId, ticker: '', limit: 101, cursor: '' })).rejects.toEqual(
      field('limit'),
    );
  });

  it('fails for good while the peers are down: nothing moved', async () => {
    const { prediction } = await as('gateway');
    const call = { ...order, operationId: newId(), waitMs: 20_000, cancelIfNotStarted: false };
    const failure = { code: expect.stringMatching(/^(SERVICE_UNAVAILABLE|UPSTREAM_ERROR|UPSTREAM_TIMEOUT)$/) };
    await expect(prediction.buy(call, { deadlineMs: 30_000 })).rejects.toMatchObject(failure);
    await expect(prediction.buy({ ...call, waitMs: 0 })).rejects.toMatchObject(failure);
    await expect(prediction.buy({ ...call, count: 2 })).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  });
});
