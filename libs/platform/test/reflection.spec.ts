import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { operationsV1, reflectionV1 } from '@agent-wallet/contracts';
import { createCertificates } from '@agent-wallet/embedded';
import { ChannelCredentials, type ClientDuplexStream, makeClientConstructor, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type GrpcController, startGrpcService, type StartedGrpcServer, type TlsIdentity } from '../src/index.js';
import { identity, silent } from './support.js';

type ReadQuery = NonNullable<reflectionV1.ServerReflectionRequest['messageRequest']>;
type Stream = ClientDuplexStream<reflectionV1.ServerReflectionRequest, reflectionV1.ServerReflectionResponse>;

const definition = operationsV1.OperationsServiceService;
const NAME = 'agentwallet.operations.v1.OperationsService';
const METHOD = reflectionV1.ServerReflectionService.serverReflectionInfo;

class SilentController implements GrpcController<operationsV1.OperationsServiceService> {
  listOpenOperations(): never {
    throw new Error('not called');
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
let caller: TlsIdentity;

async function start(): Promise<StartedGrpcServer> {
  const callers = Object.fromEntries(Object.keys(definition).map((method) => [method, ['wallet'] as const]));
  return startGrpcService([{ definition, callers, controller: new SilentController() }], {
    ...{ address: '127.0.0.1:0', tls: await identity(directory, 'signer'), logger: silent },
    // Longer than a test may take: a stop that waits for its end fails.
    graceMs: 3_600_000,
  });
}

function open(version = 'v1', credentials = caller.client): { readonly stream: Stream; readonly close: () => void } {
  const path = METHOD.path.replace('.v1.', `.${version}.`);
  const client = new (makeClientConstructor({ info: { ...METHOD, path } }, 'Reflection'))(
    service.address,
    credentials,
    { 'grpc.ssl_target_name_override': 'signer' },
  );
  const stream = (client as unknown as { info(): Stream }).info();
  return { stream, close: () => client.close() };
}

/** Asks a server one thing after the other on one stream. */
async function ask(questions: readonly ReadQuery[], version = 'v1', credentials = caller.client) {
  const { stream, close } = open(version, credentials);
  try {
    for (const messageRequest of questions) stream.write({ host: '', messageRequest });
    stream.end();
    const answers: reflectionV1.ServerReflectionResponse['messageResponse'][] = [];
    for await (const { messageResponse } of stream as AsyncIterable<reflectionV1.ServerReflectionResponse>) {
      answers.push(messageResponse);
    }
    return answers;
  } finally {
    close();
  }
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'reflection-'));
  await createCertificates(directory, ['signer', 'gateway']);
  caller = await identity(directory, 'gateway');
  service = await start();
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true });
});

describe('reflection', () => {
  it.each(['v1', 'v1alpha'])('lists in %s what the server serves, to a caller that may call none of it', async (v) => {
    const [answer] = await ask([{ $case: 'listServices', value: '' }], v);
    expect(answer).toMatchObject({ $case: 'listServicesResponse' });
    const { service: services } = (answer as { value: reflectionV1.ListServiceResponse }).value;
    expect(services.map(({ name }) => name)).toEqual([
      NAME,
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ]);
  });

  it('answers a file with all that it needs, whichever name in it is asked for', async () => {
    const answers = await ask([
      { $case: 'fileContainingSymbol', value: 'agentwallet.wallet.v1.WalletService.Transfer' },
      { $case: 'fileByFilename', value: 'agentwallet/wallet/v1/wallet.proto' },
    ]);
    expect(answers[0]).toEqual(answers[1]);
    const { fileDescriptorProto } = (answers[0] as { value: reflectionV1.FileDescriptorResponse }).value;
    const file = fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: file.toReversed() }));
    const transfer = registry.getService('agentwallet.wallet.v1.WalletService')!.method['transfer']!;
    expect(transfer.idempotency).toBe(2);
    expect(transfer.input.fields.map(({ name }) => name)).toContain('operation_id');
    expect(file[0]!.sourceCodeInfo!.location.map((each) => each.leadingComments).join()).toContain('Sends money');
  });

  it('says NOT_FOUND for what it does not know, and goes on', async () => {
    const answers = await ask([
      { $case: 'fileContainingSymbol', value: 'agentwallet.Nothing' },
      { $case: 'fileByFilename', value: 'nothing.proto' },
      { $case: 'allExtensionNumbersOfType', value: 'agentwallet.wallet.v1.TransferRequest' },
      { $case: 'listServices', value: '*' },
    ]);
    expect(answers.slice(0, 3).map((answer) => (answer as { value: { errorCode?: number } }).value.errorCode)).toEqual(
      Array(3).fill(status.NOT_FOUND),
    );
    expect(answers[3]).toMatchObject({ $case: 'listServicesResponse' });
  });

  it('refuses a caller without a certificate', async () => {
    const asking = ask([{ $case: 'listServices', value: '' }], 'v1', ChannelCredentials.createInsecure());
    await expect(asking).rejects.toMatchObject({ code: status.UNAVAILABLE });
  });

  it('does not hold up a stop', async () => {
    const { stream, close } = open();
    const answered = new Promise((resolve) => stream.once('data', resolve));
    const ended = new Promise((resolve) => stream.once('end', resolve));
    stream.on('error', () => undefined);
    stream.write({ host: '', messageRequest: { $case: 'listServices', value: '' } });
    await answered;
    await service.stop();
    await ended;
    close();
    service = await start();
  });
});
