import type { ServiceDefinition } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import { ALLOWED } from './harness/allowed-callers.js';
import { SERVICES } from '../src/infrastructure/infrastructure.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { impersonate, RPC } from './harness/impostor.js';

type Target = keyof typeof RPC;
type Caller = (typeof CALLERS)[number];
type Client = Awaited<ReturnType<typeof impersonate<Target>>>;

const CALLERS = [...SERVICES, 'ops'] as const;

let deployment: Deployment;
/** One connection for each certificate and service: a handshake costs more than all of a pair's calls. */
const clients = new Map<string, Promise<Client>>();

beforeAll(async () => {
  deployment = await shareDeployment();
});

afterAll(async () => {
  for (const client of await Promise.all(clients.values())) client.close();
});

function clientOf(caller: Caller, target: Target): Promise<Client> {
  const key = `${caller} ${target}`;
  const client = clients.get(key) ?? impersonate(deployment, caller, target);
  clients.set(key, client);
  return client;
}

const CASES = (Object.keys(ALLOWED) as Target[]).flatMap((target) =>
  Object.keys(RPC[target].definition).flatMap((method) => CALLERS.map((caller) => ({ target, method, caller }))),
);

/** Methods for which an empty request means everything. */
const ASK_FOR_ALL = [
  ...['getNetwork', 'getTreasury', 'listFreezes', 'listOpenOperations', 'reconcile', 'revokeSessions', 'setFreeze'],
  ...[
    'describeKeys',
    'addDataKey',
    'retireDataKeys',
    'getRecovery',
    'listRecovered',
    'reportWallets',
    'getApprovalStates',
    'getPrices',
  ],
  'createLoginChallenge',
];

function emptyRequest(definition: ServiceDefinition, method: string): object {
  return definition[method]!.requestDeserialize(Buffer.alloc(0)) as object;
}

describe('every method of every service', () => {
  it('stands in the table of callers', () => {
    for (const target of Object.keys(ALLOWED) as Target[]) {
      expect(Object.keys(ALLOWED[target]).sort()).toEqual(Object.keys(RPC[target].definition).sort());
    }
  });

  it.each(CASES)('$target.$method called with the certificate of $caller', async ({ target, method, caller }) => {
    const client = await clientOf(caller, target);
    const call = (client as unknown as Record<string, (request: object) => Promise<unknown>>)[method]!;
    const empty = emptyRequest(RPC[target].definition, method);
    const error = await call(empty).then(
      () => undefined,
      (e: unknown) => e,
    );
    const refused = error instanceof AppError && error.code === 'CALLER_NOT_ALLOWED';
    expect(refused).toBe(!ALLOWED[target][method]!.includes(caller));
    // Every service refuses an empty request with an error of the catalogue, unless it then means everything.
    if (error === undefined) return expect(ASK_FOR_ALL).toContain(method);
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).not.toBe('INTERNAL_ERROR');
  });
});
