import { signerV1 } from '@agent-wallet/contracts';
import { createCertificates } from '@agent-wallet/embedded';
import { AppError } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type GrpcController,
  openRpcClient,
  type RpcClient,
  type RunningGrpcService,
  startGrpcService,
} from '../src/index.js';
import { identity, silent } from './support.js';

const definition = signerV1.SignerServiceService;

/** A replica that answers with its name. */
function replica(name: string): GrpcController<signerV1.SignerServiceService> {
  class Replica implements GrpcController<signerV1.SignerServiceService> {
    async createKey(): Promise<signerV1.CreateKeyResponse> {
      return { address: name };
    }

    createSystemKey(): never {
      throw new AppError('INTERNAL_ERROR');
    }

    sign(): never {
      throw new AppError('INTERNAL_ERROR');
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
  return new Replica();
}

let directory: string;
let replicas: RunningGrpcService[];
let client: RpcClient<typeof definition>;

async function start(name: string, address = '127.0.0.1:0'): Promise<RunningGrpcService> {
  const controller = replica(name);
  const callers = Object.fromEntries(Object.keys(definition).map((method) => [method, ['wallet'] as const]));
  const tls = await identity(directory, 'signer');
  return startGrpcService([{ definition, callers, controller }], { address, tls, logger: silent });
}

/** Who answers so many calls, one after the other. */
async function whoAnswers(count: number): Promise<Set<string>> {
  const names = new Set<string>();
  for (let n = 0; n < count; n += 1) names.add((await client.createKey({ agentId: 'a' })).address);
  return names;
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'grpc-'));
  await createCertificates(directory, ['signer', 'wallet']);
});

beforeEach(async () => {
  replicas = await Promise.all([start('a'), start('b')]);
  const address = `ipv4:${replicas.map((each) => each.address).join(',')}`;
  client = openRpcClient({
    definition,
    peer: { address, service: 'signer' },
    tls: await identity(directory, 'wallet'),
  });
  await eventually(async () => (await whoAnswers(2)).size === 2);
});

afterEach(async () => {
  client.close();
  await Promise.all(replicas.map((each) => each.stop()));
});

afterAll(() => rm(directory, { recursive: true }));

describe('a client of two replicas', () => {
  it('asks them by turns', async () => {
    const names = [];
    for (let n = 0; n < 6; n += 1) names.push((await client.createKey({ agentId: 'a' })).address);
    expect(names.filter((name) => name === 'a')).toHaveLength(3);
  });

  it('goes on with one when the other has stopped, without a failed call, and finds it again', async () => {
    const [{ address }] = replicas as [RunningGrpcService];
    await replicas[0]!.stop();
    expect(await whoAnswers(6)).toEqual(new Set(['b']));
    replicas[0] = await start('a again', address);
    await eventually(async () => (await whoAnswers(2)).has('a again'));
  });
});
