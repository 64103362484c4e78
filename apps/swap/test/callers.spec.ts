import { silent } from '@agent-wallet/platform/testing';
import { testCertificates } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationsV1, swapV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { loadTls, openRpcClient, type RpcClient, type ServiceName } from '@agent-wallet/platform';
import { startSwap } from '../src/index.js';
import { openSwapDatabase } from './database.js';

/** The two services behind the one address. */
interface Doors {
  readonly swap: RpcClient<typeof swapV1.SwapServiceService>;
  readonly operations: RpcClient<typeof operationsV1.OperationsServiceService>;
}

/** Every name that a certificate of the deployment can carry. */
const NAMES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history', 'ops'] as const;

const agentId = newId();
const operationId = newId();
const order = { from: 'SOL', to: 'USDC', amount: '1', slippageBps: 50, allowRisky: false, allowUnpricedOutput: false };
const trade = { ...order, operationId, agentId, waitMs: 0, cancelIfNotStarted: false };

/** Every method, who may call it, and a call of it. */
const METHODS: ReadonlyArray<[string, readonly ServiceName[], (doors: Doors) => Promise<unknown>]> = [
  ['trade', ['gateway'], ({ swap }) => swap.trade({ ...trade, from: 'nothing' })],
  ['dryRunTrade', ['gateway'], ({ swap }) => swap.dryRunTrade({ ...order, agentId })],
  ['listOpenOperations', ['ops'], (doors) => doors.operations.listOpenOperations({ minAgeMs: 0, limit: 0 })],
  ['explainOperation', ['ops'], (doors) => doors.operations.explainOperation({ operationId })],
  [
    'resendOperation',
    ['ops'],
    (doors) => doors.operations.resendOperation({ operationId, operator: 'x', reason: 'y' }),
  ],
];

let stop: () => Promise<void>;
let as: (name: ServiceName) => Promise<Doors>;
let operations: () => Promise<number | null>;

beforeAll(async () => {
  const { connection, database, close } = await openSwapDatabase();
  const certificates = await testCertificates(NAMES);
  const unreachable = '127.0.0.1:1';
  const service = await startSwap(
    {
      ...{
        grpcAddress: '127.0.0.1:0',
        database: connection,
        tls: certificates.swap,
        logLevel: 'silent',
        stream: { kind: 'postgres' },
      },
      ...{
        solanaNetwork: 'sandbox',
        solanaRpcUrls: [`http://${unreachable}`],
        solanaSendUrls: [],
        solanaWsUrl: `ws://${unreachable}`,
        jupiterBaseUrl: `http://${unreachable}`,
        jupiterSwapPath: '/swap/v2',
      },
      ...{
        policyAddress: unreachable,
        signerAddress: unreachable,
        walletAddress: unreachable,
        jupiterRequestsPerMinute: 60,
        priceMaxAgeMs: 60_000,
        raydiumApiUrl: 'http://localhost:1',
      },
      maxPriorityFeeLamports: 50_000n,
      limits: { allowsCosigned: false, maxNetworkLamports: 5_000_000n },
    },
    { logger: silent, timing: { graceMs: 0, retryMs: 10 } },
  );
  const clients: { close(): void }[] = [];
  as = async (name) => {
    const door = {
      peer: { address: service.address, service: 'swap' },
      tls: await loadTls(certificates[name]),
    } as const;
    const doors = {
      swap: openRpcClient({ definition: swapV1.SwapServiceService, ...door }),
      operations: openRpcClient({ definition: operationsV1.OperationsServiceService, ...door }),
    };
    clients.push(doors.swap, doors.operations);
    return doors;
  };
  operations = async () => (await database.pool.query('select from operations')).rowCount;
  stop = async () => {
    for (const client of clients) client.close();
    await service.stop();
    await close();
  };
});
afterAll(() => stop?.());

const codeOf = async (name: ServiceName, call: (doors: Doors) => Promise<unknown>) =>
  call(await as(name)).then(
    () => 'OK',
    (error: { code?: string }) => error.code,
  );

describe.each(METHODS)('%s', (_, allowed, call) => {
  it.each(NAMES.filter((name) => !allowed.includes(name)))('refuses %s', async (name) => {
    expect(await codeOf(name, call)).toBe('CALLER_NOT_ALLOWED');
  });

  // No peer is running: an accepted call finds no wallet service, no operation, or nothing to name.
  it.each(allowed)('lets %s in', async (name) => {
    const codes = ['OK', 'SERVICE_UNAVAILABLE', 'UPSTREAM_ERROR', 'NOT_FOUND', 'UNKNOWN_TOKEN'];
    expect(codes).toContain(await codeOf(name, call));
  });
});

describe('a trade through the door', () => {
  it('names the fields that are wrong, and leaves no operation behind', async () => {
    const { swap: client } = await as('gateway');
    const field = (name: string) => expect.objectContaining({ details: [expect.objectContaining({ field: name })] });
    await expect(client.trade({ ...trade, from: 'solx' })).rejects.toEqual(field('from'));
    await expect(client.trade({ ...trade, to: 'SOL' })).rejects.toEqual(field('to'));
    await expect(client.trade({ ...trade, slippageBps: 5_001 })).rejects.toEqual(field('slippageBps'));
    const impact = { maxPriceImpactBps: 5_001 };
    await expect(client.trade({ ...trade, ...impact })).rejects.toEqual(field('maxPriceImpactPercent'));
    await expect(client.dryRunTrade({ ...order, agentId, ...impact })).rejects.toEqual(field('maxPriceImpactPercent'));
    await expect(client.trade({ ...trade, amount: '1e400' })).rejects.toEqual(field('amount'));
    await expect(client.dryRunTrade({ ...order, agentId: 'x' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await operations()).toBe(0);
  });

  it('fails for good while the wallet service is away: nothing was signed', async () => {
    const { swap: client } = await as('gateway');
    const call = { ...trade, waitMs: 20_000 };
    const failure = { code: expect.stringMatching(/^(SERVICE_UNAVAILABLE|UPSTREAM_TIMEOUT)$/) };
    await expect(client.trade(call, { deadlineMs: 30_000 })).rejects.toMatchObject(failure);
    await expect(client.trade({ ...call, waitMs: 0 })).rejects.toMatchObject(failure);
    await expect(client.trade({ ...call, amount: '2' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  });

  it('that is only queried is not called “never started” without policy: it may have been forgotten', async () => {
    const { swap: client } = await as('gateway');
    const ask = { ...trade, operationId: newId(), cancelIfNotStarted: true };
    await expect(client.trade(ask)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
