import { operationsV1, signerV1 } from '@agent-wallet/contracts';
import { type CertificatePaths, createCertificates } from '@agent-wallet/embedded';
import { AppError } from '@agent-wallet/kernel';
import { ChannelCredentials, ServerCredentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type GrpcController,
  type CallerLists,
  currentRequest,
  inRequest,
  loadTls,
  openRpcClient,
  RpcFailure,
  type RunningGrpcService,
  startGrpcService,
  type TlsIdentity,
} from '../src/index.js';
import { identity, silent } from './support.js';

type SignerDefinition = typeof signerV1.SignerServiceService;

/** Answers as the agent's id tells it to. */
class EchoController implements GrpcController<signerV1.SignerServiceService> {
  async createKey({ agentId }: signerV1.CreateKeyRequest): Promise<signerV1.CreateKeyResponse> {
    if (agentId === 'refuse') {
      throw new AppError('POLICY_VIOLATION', {
        message: 'no',
        data: { rule: 'daily_limit' },
        details: [{ field: 'amount', reason: 'is too much', problem: 'out_of_range' }],
        cause: new Error('the inner reason'),
      });
    }
    if (agentId === 'break') throw new TypeError('a secret detail');
    if (agentId === 'hang') await new Promise(() => undefined);
    return { address: currentRequest()?.requestId ?? '' };
  }

  createSystemKey(): never {
    throw new AppError('INTERNAL_ERROR');
  }

  sign(): signerV1.SignResponse {
    return { signature: Buffer.alloc(64) };
  }

  signCheckpoints(): never {
    throw new AppError('INTERNAL_ERROR');
  }

  attest(): never {
    throw new AppError('INTERNAL_ERROR');
  }

  getBoot(): never {
    throw new AppError('INTERNAL_ERROR');
  }
}

/** Another service on the same server. */
class OperationsController implements GrpcController<operationsV1.OperationsServiceService> {
  listOpenOperations(): operationsV1.ListOpenOperationsResponse {
    return { operations: [] };
  }

  listOperationRevisions(): never {
    throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
  }

  explainOperation(): never {
    throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
  }

  resendOperation({ operationId }: operationsV1.ResendOperationRequest): operationsV1.ResendOperationResponse {
    return { signature: operationId };
  }

  rejectOperation(): never {
    throw new Error('not called');
  }
}

const operators: CallerLists<typeof operationsV1.OperationsServiceService> = {
  listOpenOperations: ['gateway'],
  listOperationRevisions: ['gateway'],
  explainOperation: ['gateway'],
  resendOperation: ['gateway'],
  rejectOperation: [],
};

const callers: CallerLists<SignerDefinition> = {
  createKey: ['wallet'],
  createSystemKey: ['wallet'],
  sign: ['wallet', 'swap'],
  signCheckpoints: ['history'],
  attest: ['wallet', 'policy', 'swap'],
  getBoot: ['ops'],
};

let directory: string;
let certificates: Record<'signer' | 'wallet' | 'swap' | 'gateway', CertificatePaths>;
let service: RunningGrpcService;
let strangers: string;

function connect(
  tls: Pick<TlsIdentity, 'client'>,
  peer: 'signer' | 'policy' = 'signer',
  address: string = service.address,
) {
  return openRpcClient({ definition: signerV1.SignerServiceService, peer: { address, service: peer }, tls });
}

function start(tls: Pick<TlsIdentity, 'server'>) {
  const definition = signerV1.SignerServiceService;
  const others = operationsV1.OperationsServiceService;
  return startGrpcService(
    [
      { definition, callers, controller: new EchoController() },
      { definition: others, callers: operators, controller: new OperationsController() },
    ],
    { address: '127.0.0.1:0', tls, logger: silent, graceMs: 500 },
  );
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'grpc-'));
  strangers = await mkdtemp(path.join(tmpdir(), 'grpc-'));
  certificates = await createCertificates(directory, ['signer', 'wallet', 'swap', 'gateway']);
  await createCertificates(strangers, ['wallet']);
  service = await start(await loadTls(certificates.signer));
});

afterAll(async () => {
  await service.stop();
  await Promise.all([rm(directory, { recursive: true }), rm(strangers, { recursive: true })]);
});

describe('a server of several services', () => {
  it('serves each to its own callers', async () => {
    const definition = operationsV1.OperationsServiceService;
    const door = { definition, peer: { address: service.address, service: 'signer' } } as const;
    const client = openRpcClient({ ...door, tls: await identity(directory, 'gateway') });
    expect(await client.listOpenOperations({ minAgeMs: 0, limit: 0 })).toEqual({ operations: [] });
    await expect(client.explainOperation({ operationId: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const resend = { operationId: 'x', operator: 'y', reason: 'z' };
    expect(await client.resendOperation(resend)).toEqual({ signature: 'x' });
    client.close();
    const stranger = openRpcClient({ ...door, tls: await identity(directory, 'wallet') });
    await expect(stranger.resendOperation(resend)).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED' });
    stranger.close();
    const gateway = connect(await identity(directory, 'gateway'));
    await expect(gateway.createKey({ agentId: 'a' })).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED' });
    gateway.close();
  });
});

describe('a certificate', () => {
  const asking = { message: Buffer.alloc(0), permit: undefined, resolvedAddresses: [] };
  const signing = (client: ReturnType<typeof connect>) =>
    client.sign(asking, { deadlineMs: 2_000 }).finally(() => client.close());
  const files = ({ caPath }: { readonly caPath: string }, { certPath, keyPath }: CertificatePaths['client']) =>
    Promise.all([caPath, keyPath, certPath].map((file) => readFile(file)));

  it('for answering is refused from a caller', async () => {
    const { caPath, server, client } = certificates.wallet;
    const [ca, key, certificate] = await files({ caPath }, server);
    const thief = { client: ChannelCredentials.createSsl(ca, key, certificate) };
    await expect(signing(connect(thief))).rejects.toBeInstanceOf(RpcFailure);
    await expect(signing(connect(await loadTls({ caPath, client })))).resolves.toBeDefined();
  });

  it('for calling is refused from a server', async () => {
    const { caPath, server, client } = certificates.signer;
    const caller = await loadTls(certificates.wallet);
    const [ca, key, certificate] = await files({ caPath }, client);
    const pair = { private_key: key!, cert_chain: certificate! };
    const impostor = await start({ server: ServerCredentials.createSsl(ca!, [pair], true) });
    const genuine = await start(await loadTls({ caPath, server }));
    try {
      await expect(signing(connect(caller, 'signer', impostor.address))).rejects.toBeInstanceOf(RpcFailure);
      await expect(signing(connect(caller, 'signer', genuine.address))).resolves.toBeDefined();
    } finally {
      await Promise.all([impostor.stop(), genuine.stop()]);
    }
  });
});

describe('a gRPC service', () => {
  it('answers a caller that is listed', async () => {
    const client = connect(await identity(directory, 'wallet'));
    expect(
      (await client.sign({ message: Buffer.alloc(0), permit: undefined, resolvedAddresses: [] })).signature,
    ).toHaveLength(64);
    client.close();
  });

  it('checks the list of each method by itself', async () => {
    const client = connect(await identity(directory, 'swap'));
    await expect(
      client.sign({ message: Buffer.alloc(0), permit: undefined, resolvedAddresses: [] }),
    ).resolves.toBeDefined();
    await expect(client.createKey({ agentId: 'a' })).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED' });
    client.close();
  });

  it('refuses a certificate of the same authority with another name', async () => {
    const client = connect(await identity(directory, 'gateway'));
    await expect(client.createKey({ agentId: 'a' })).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED' });
    client.close();
  });

  it('does not talk to a certificate of another authority, nor to none', async () => {
    const theirs = await identity(strangers, 'wallet');
    for (const client of [theirs.client, ChannelCredentials.createInsecure()]) {
      const stranger = connect({ client });
      await expect(stranger.createKey({ agentId: 'a' }, { deadlineMs: 1_000 })).rejects.toBeInstanceOf(RpcFailure);
      stranger.close();
    }
  });

  it('is not believed to be a service that its certificate does not name', async () => {
    const client = connect(await identity(directory, 'wallet'), 'policy');
    await expect(client.createKey({ agentId: 'a' }, { deadlineMs: 1_000 })).rejects.toBeInstanceOf(RpcFailure);
    client.close();
  });

  it('hands the request id on', async () => {
    const client = connect(await identity(directory, 'wallet'));
    const answer = await inRequest({ requestId: 'request-1' }, () => client.createKey({ agentId: 'a' }));
    expect(answer.address).toBe('request-1');
    client.close();
  });
});

describe('an error over gRPC', () => {
  it('keeps code, message, data and fields, and loses the cause', async () => {
    const client = connect(await identity(directory, 'wallet'));
    const error = await client.createKey({ agentId: 'refuse' }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code: 'POLICY_VIOLATION',
      message: 'no',
      data: { rule: 'daily_limit' },
      details: [{ field: 'amount', reason: 'is too much', problem: 'out_of_range' }],
      cause: undefined,
    });
    client.close();
  });

  it('shows a bug as INTERNAL_ERROR and nothing of it', async () => {
    const client = connect(await identity(directory, 'wallet'));
    const error = (await client.createKey({ agentId: 'break' }).catch((e: unknown) => e)) as AppError;
    expect(error.code).toBe('INTERNAL_ERROR');
    expect(error.message).not.toContain('secret');
    client.close();
  });

  it('is an RpcFailure when the deadline passes: the outcome is unknown', async () => {
    const client = connect(await identity(directory, 'wallet'));
    const error = await client.createKey({ agentId: 'hang' }, { deadlineMs: 200 }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(RpcFailure);
    expect(error).toMatchObject({ status: status.DEADLINE_EXCEEDED });
    expect(String(error)).not.toContain('127.0.0.1');
    client.close();
  });
});
