import { operationsV1 } from '@agent-wallet/contracts';
import { createCertificates } from '@agent-wallet/embedded';
import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type GrpcController,
  type LeafPaths,
  loadTls,
  type Logger,
  openRpcClient,
  type RpcClient,
  RpcFailure,
  type RunningGrpcService,
  startGrpcService,
  type TlsIdentity,
  type TlsUse,
} from '../src/index.js';
import { silent } from './support.js';

const definition = operationsV1.OperationsServiceService;
const REQUEST = { minAgeMs: 0, limit: 0 };
const EVERY_MS = 10;
/** Every connection is replaced about as often; on a busy machine a handshake alone takes a tenth of a second. */
const CONNECTION_AGE_MS = 600;
/** Callers at the same time. */
const CALLERS = 4;

class EmptyController implements GrpcController<operationsV1.OperationsServiceService> {
  async listOpenOperations(): Promise<operationsV1.ListOpenOperationsResponse> {
    await new Promise((resolve) => setImmediate(resolve));
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

type Name = 'signer' | 'wallet';
type Authority = 'old' | 'new';

/** Files of what each shows: the signer answers, the wallet calls. */
const LEAVES = { signer: 'signer', wallet: 'wallet-client' } as const;

/** A folder of a secret as Kubernetes mounts it: files are links through `..data`, which is swapped at once. */
class MountedSecret {
  readonly caPath: string;
  readonly leaf: LeafPaths;
  readonly said: string[] = [];
  #version = 0;

  constructor(private readonly folder: string) {
    const file = (name: string) => path.join(folder, name);
    this.leaf = { certPath: file('tls.crt'), keyPath: file('tls.key') };
    this.caPath = file('ca.crt');
  }

  get logger(): Logger {
    const say = ({ event }: { readonly event: string }) => void this.said.push(event);
    return { info: say, error: say } as unknown as Logger;
  }

  async write(files: Readonly<Record<'ca.crt' | 'tls.crt' | 'tls.key', string>>): Promise<void> {
    this.#version += 1;
    const version = `..${this.#version}`;
    await mkdir(path.join(this.folder, version), { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path.join(this.folder, version, name), text);
      if (this.#version === 1) await symlink(path.join('..data', name), path.join(this.folder, name));
    }
    const draft = path.join(this.folder, '..data_tmp');
    await symlink(version, draft);
    await rename(draft, path.join(this.folder, '..data'));
  }

  load<Use extends TlsUse>(use: Use): Promise<Pick<TlsIdentity, Use>> {
    const paths = { caPath: this.caPath, [use]: this.leaf } as { readonly caPath: string } & Record<Use, LeafPaths>;
    return loadTls(paths, { logger: this.logger, everyMs: EVERY_MS });
  }
}

let directory: string;
let secrets: Record<Name, MountedSecret>;
let service: RunningGrpcService;
let client: RpcClient<typeof definition>;

/** The certificate of one authority, and who is believed. */
function issued(name: Name, by: Authority, believed: readonly Authority[]) {
  const read = (authority: Authority, file: string) => readFileSync(path.join(directory, authority, file), 'utf8');
  return {
    'ca.crt': believed.map((authority) => read(authority, 'ca.pem')).join(''),
    'tls.crt': read(by, `${LEAVES[name]}.pem`),
    'tls.key': read(by, `${LEAVES[name]}.key`),
  };
}

/** Waits until both sides have said so often that they use a new certificate. */
async function used(times: number): Promise<void> {
  const count = ({ said }: MountedSecret) => said.filter((event) => event === 'certificate.replaced').length;
  await eventually(() => Object.values(secrets).every((secret) => count(secret) === times));
}

async function open(tls: Pick<TlsIdentity, 'client'>): Promise<RpcClient<typeof definition>> {
  return openRpcClient({ definition, peer: { address: service.address, service: 'signer' }, tls });
}

/** Calls all the time; what it resolves to stops, and tells what has happened. */
function load(): { readonly calls: () => number; stop(): Promise<unknown[]> } {
  const failures: unknown[] = [];
  let [calls, stopped] = [0, false];
  const caller = async () => {
    while (!stopped) {
      await client.listOpenOperations(REQUEST).catch((error: unknown) => failures.push(error));
      calls += 1;
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  return {
    calls: () => calls,
    stop: async () => {
      stopped = true;
      await callers;
      return failures;
    },
  };
}

/** Waits until every connection has been replaced, and all callers have made a call since. */
async function connectAgain(calls: () => number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2 * CONNECTION_AGE_MS));
  const before = calls();
  // Each of the callers ends at most one call that it began before.
  await eventually(() => calls() > before + 2 * CALLERS);
}

/** Whether a caller that believes one authority, and has its certificate, is served. */
async function isServed(by: Authority): Promise<boolean> {
  const file = (name: string) => path.join(directory, by, name);
  const leaf = { certPath: file('wallet-client.pem'), keyPath: file('wallet-client.key') };
  const caller = await open(await loadTls({ caPath: file('ca.pem'), client: leaf }));
  try {
    await caller.listOpenOperations(REQUEST, { deadlineMs: 60_000 });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(RpcFailure);
    return false;
  } finally {
    caller.close();
  }
}

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'rotation-'));
  for (const authority of ['old', 'new'])
    await createCertificates(path.join(directory, authority), ['signer', 'wallet']);
  secrets = {
    signer: new MountedSecret(path.join(directory, 'signer')),
    wallet: new MountedSecret(path.join(directory, 'wallet')),
  };
  for (const [name, secret] of Object.entries(secrets)) await secret.write(issued(name as Name, 'old', ['old']));
  const callers = Object.fromEntries(Object.keys(definition).map((method) => [method, ['wallet'] as const]));
  service = await startGrpcService([{ definition, callers, controller: new EmptyController() }], {
    address: '127.0.0.1:0',
    tls: await secrets.signer.load('server'),
    logger: silent,
    connectionAgeMs: CONNECTION_AGE_MS,
    graceMs: 1_000,
  });
  client = await open(await secrets.wallet.load('client'));
});

afterEach(async () => {
  client.close();
  await service.stop();
  await rm(directory, { recursive: true });
});

describe('certificates that change under load', () => {
  it('are used by both sides without one failed call, from one authority to another', async () => {
    const calling = load();
    await eventually(() => calling.calls() > 0);
    expect([await isServed('old'), await isServed('new')]).toEqual([true, false]);
    const names = ['signer', 'wallet'] as const;

    for (const name of names) await secrets[name].write(issued(name, 'old', ['old', 'new']));
    await used(1);
    await connectAgain(calling.calls);
    for (const name of names) await secrets[name].write(issued(name, 'new', ['old', 'new']));
    await used(2);
    await connectAgain(calling.calls);
    for (const name of names) await secrets[name].write(issued(name, 'new', ['new']));
    await used(3);
    await connectAgain(calling.calls);

    expect(await calling.stop()).toEqual([]);
    expect([await isServed('old'), await isServed('new')]).toEqual([false, true]);
  });

  it.each([
    ['a certificate that is none', { 'tls.crt': 'nonsense' }],
    ['the key of another certificate', 'another key'],
    ['an authority that is none', { 'ca.crt': '' }],
  ] as const)('stay the last good ones where there is %s, and the log says so once', async (_, broken) => {
    const good = issued('signer', 'old', ['old']);
    const others = { 'tls.key': issued('signer', 'new', ['new'])['tls.key'] };
    const calling = load();
    await secrets.signer.write({ ...good, ...(broken === 'another key' ? others : broken) });
    const { said } = secrets.signer;
    await eventually(() => said.length === 1);
    await connectAgain(calling.calls);
    expect(said).toEqual(['certificate.reload_failed']);
    await secrets.signer.write(good);
    await eventually(() => said.length === 2);
    expect(said[1]).toBe('certificate.recovered');
    expect(await calling.stop()).toEqual([]);
  });
});

describe('certificates that cannot be used at the start', () => {
  it('stop it, and name the file', async () => {
    const { caPath, leaf } = secrets.wallet;
    const { keyPath } = secrets.signer.leaf;
    await expect(loadTls({ caPath, client: { ...leaf, keyPath } })).rejects.toThrow(
      `${keyPath} is not the key of ${leaf.certPath}`,
    );
    await expect(loadTls({ caPath: leaf.keyPath, client: leaf })).rejects.toThrow('holds no certificate');
  });

  it('stop it where a certificate is for the other end', async () => {
    const { caPath, leaf } = secrets.wallet;
    await expect(loadTls({ caPath, server: leaf })).rejects.toThrow(leaf.certPath);
    await expect(loadTls({ caPath, client: secrets.signer.leaf })).rejects.toThrow(secrets.signer.leaf.certPath);
  });
});
