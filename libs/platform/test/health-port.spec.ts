import { operationsV1 } from '@agent-wallet/contracts';
import { createCertificates } from '@agent-wallet/embedded';
import { eventually, probeHealth } from '@agent-wallet/testing';
import { ChannelCredentials, makeClientConstructor, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type GrpcController,
  type GrpcServerOptions,
  openRpcClient,
  startGrpcService,
  type StartedGrpcServer,
} from '../src/index.js';
import { identity, silent } from './support.js';

const definition = operationsV1.OperationsServiceService;
const REQUEST = { minAgeMs: 0, limit: 0 };

/** Ends the call under way. */
let finishCall: (() => void) | undefined;

class SlowController implements GrpcController<operationsV1.OperationsServiceService> {
  async listOpenOperations(): Promise<operationsV1.ListOpenOperationsResponse> {
    await new Promise<void>((resolve) => (finishCall = resolve));
    return { operations: [] };
  }

  listOperationRevisions(): never {
    throw new Error('not called');
  }

  explainOperation(): never {
    throw new Error('not called');
  }

  resendOperation(): never {
    throw new Error('not called');
  }

  rejectOperation(): never {
    throw new Error('not called');
  }
}

let directory: string;
let service: StartedGrpcServer;

async function start(options: Partial<GrpcServerOptions> = {}): Promise<StartedGrpcServer> {
  const callers = Object.fromEntries(Object.keys(definition).map((method) => [method, ['wallet'] as const]));
  return startGrpcService([{ definition, callers, controller: new SlowController() }], {
    address: '127.0.0.1:0',
    healthAddress: '127.0.0.1:0',
    tls: await identity(directory, 'signer'),
    logger: silent,
    ...options,
  });
}

type RawMethod = (request: object, callback: (error: { readonly code: number } | null) => void) => void;

/** Calls a method of the service without a certificate; the name of the status it gets. */
async function callPlainly(address: string): Promise<string | undefined> {
  const client = new (makeClientConstructor(definition, 'Operations'))(address, ChannelCredentials.createInsecure());
  const list = (client as unknown as { listOpenOperations: RawMethod }).listOpenOperations.bind(client);
  try {
    return await new Promise((resolve) => list(REQUEST, (error) => resolve(error ? status[error.code] : undefined)));
  } finally {
    client.close();
  }
}

beforeEach(async () => {
  finishCall = undefined;
  directory = await mkdtemp(path.join(tmpdir(), 'health-'));
  await createCertificates(directory, ['signer', 'wallet']);
});

afterEach(async () => {
  finishCall?.();
  await service.stop();
  await rm(directory, { recursive: true });
});

describe('the health port', () => {
  it('tells a probe without a certificate that the service serves, and knows no other name', async () => {
    service = await start();
    expect(await probeHealth(service.healthAddress!)).toBe('SERVING');
    expect(await probeHealth(service.healthAddress!, 'nobody')).toBe('NOT_FOUND');
  });

  it('serves nothing but health, and the port of the service nothing without a certificate', async () => {
    service = await start();
    expect(await callPlainly(service.healthAddress!)).toBe('UNIMPLEMENTED');
    expect(await probeHealth(service.address)).toBe('UNAVAILABLE');
  });

  it('says NOT_SERVING from the first moment of a stop, while calls under way are finished', async () => {
    service = await start();
    const peer = { address: service.address, service: 'signer' } as const;
    const client = openRpcClient({ definition, peer, tls: await identity(directory, 'wallet') });
    const call = client.listOpenOperations(REQUEST);
    await eventually(() => finishCall !== undefined);
    const stopped = service.stop();
    expect(await probeHealth(service.healthAddress!)).toBe('NOT_SERVING');
    finishCall!();
    expect(await call).toEqual({ operations: [] });
    await stopped;
    expect(await probeHealth(service.healthAddress!)).toBe('UNAVAILABLE');
    client.close();
  });

  it('reports the state of a service that serves elsewhere, too', async () => {
    service = await start({ startsServing: false });
    expect(await probeHealth(service.healthAddress!)).toBe('NOT_SERVING');
    service.setServing(true);
    expect(await probeHealth(service.healthAddress!)).toBe('SERVING');
  });

  it('is not there unless it is asked for', async () => {
    service = await start({ healthAddress: undefined });
    expect(service.healthAddress).toBeUndefined();
  });

  it('that is taken fails the start and leaves no listener behind', async () => {
    service = await start();
    const { healthAddress, address } = service;
    await expect(start({ healthAddress: healthAddress! })).rejects.toThrow(/EADDRINUSE|in use/i);
    await service.stop();
    service = await start({ address });
    expect(service.address).toBe(address);
  });
});
