import { signerV1 } from '@agent-wallet/contracts';
import { createCertificates } from '@agent-wallet/embedded';
import { AppError } from '@agent-wallet/kernel';
import { expect, it, jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { type CallerLists, type GrpcController, loadTls, openRpcClient, startGrpcService } from '../src/index.js';
import { silent } from './support.js';

class KeysController implements GrpcController<signerV1.KeyServiceService> {
  describeKeys(): never {
    throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
  }

  addDataKey(): signerV1.AddDataKeyResponse {
    return { version: 1 };
  }

  rewrapKeys(): never {
    throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
  }

  retireDataKeys(): never {
    throw new AppError('NOT_FOUND', { data: { resource: 'thing' } });
  }
}

const definition = signerV1.KeyServiceService;
const callers: CallerLists<typeof definition> = {
  describeKeys: ['ops'],
  addDataKey: ['ops'],
  rewrapKeys: ['ops'],
  retireDataKeys: ['ops'],
};

it('a certificate is read once for each connection, and who is not in the list is refused at each call', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'callers-'));
  const certificates = await createCertificates(directory, ['signer', 'ops', 'gateway']);
  const server = await startGrpcService([{ definition, callers, controller: new KeysController() }], {
    address: '127.0.0.1:0',
    tls: await loadTls(certificates.signer),
    logger: silent,
  });
  const open = async (as: 'ops' | 'gateway') => {
    const peer = { address: server.address, service: 'signer' } as const;
    return openRpcClient({ definition, peer, tls: await loadTls(certificates[as]) });
  };
  const [ops, gateway] = [await open('ops'), await open('gateway')];
  const call = (client: typeof ops) => client.addDataKey({});
  try {
    await call(ops);
    const read = jest.spyOn(TLSSocket.prototype, 'getPeerCertificate');
    for (let times = 0; times < 5; times += 1) await call(ops);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    for (let times = 0; times < 3; times += 1) {
      await expect(call(gateway)).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED' });
      await call(ops);
    }
  } finally {
    ops.close();
    gateway.close();
    await server.stop();
    await rm(directory, { recursive: true });
  }
});
