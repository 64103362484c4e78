import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StoredObject } from '../../src/cluster/kubernetes-api.js';

/** A stand-in for the API server of Kubernetes: Secrets and ConfigMaps of one namespace, versions, one token. No other rule of it. */
export interface FakeApiServer {
  readonly url: string;
  /** What it has, by `secrets/name`. */
  readonly objects: Map<string, StoredObject>;
  /** Methods and places of calls that changed something. */
  readonly changes: string[];
  close(): Promise<void>;
}

/** Starts one that believes a token. */
export async function startFakeApiServer(token: string): Promise<FakeApiServer> {
  const objects = new Map<string, StoredObject>();
  const changes: string[] = [];
  let version = 0;

  const store = (place: string, object: StoredObject): number => {
    version += 1;
    objects.set(place, { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    changes.push(place);
    return 200;
  };
  const create = (kind: string, object: StoredObject): number => {
    const place = `${kind}/${object.metadata.name}`;
    return objects.has(place) ? 409 : store(place, object);
  };
  const replace = (place: string, object: StoredObject): number => {
    const known = objects.get(place);
    if (!known) return 404;
    return known.metadata.resourceVersion === object.metadata.resourceVersion ? store(place, object) : 409;
  };
  const answer = async (request: IncomingMessage): Promise<number> => {
    const place = request.url!.replace('/api/v1/namespaces/test/', '');
    if (request.headers.authorization !== `Bearer ${token}`) return 401;
    if (request.method === 'GET') return objects.has(place) ? 200 : 404;
    const object = (await jsonOf(request)) as StoredObject;
    return request.method === 'POST' ? create(place, object) : replace(place, object);
  };
  const server = createServer((request, response) => {
    void answer(request).then((status) => {
      const object = objects.get(request.url!.replace('/api/v1/namespaces/test/', ''));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(object ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    changes,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}
