import { loadTls } from '@agent-wallet/platform';
import { testCertificates } from '@agent-wallet/testing';
import { Server } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HealthImplementation } from 'grpc-health-check';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CheckResult } from '../../src/doctor/check.js';
import { examine } from '../../src/doctor/examine.js';
import { SERVICE_CHECKS } from '../../src/doctor/services.js';

let tls: Record<string, string>;
let server: Server;
let health: HealthImplementation;
let address: string;

beforeAll(async () => {
  const { policy, ops } = await testCertificates(['policy', 'ops']);
  tls = {
    TLS_CA_PATH: ops.caPath,
    TLS_CLIENT_CERT_PATH: ops.client.certPath,
    TLS_CLIENT_KEY_PATH: ops.client.keyPath,
  };
  const { server: credentials } = await loadTls({ caPath: policy.caPath, server: policy.server });
  server = new Server();
  health = new HealthImplementation({ '': 'SERVING' });
  health.addToServer(server);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  address = `127.0.0.1:${port}`;
});
afterAll(() => server.forceShutdown());
beforeEach(() => health.setStatus('', 'SERVING'));

async function examineServices(environment: Record<string, string>): Promise<Record<string, CheckResult>> {
  const results = await examine(SERVICE_CHECKS, { environment, clock: { nowMs: () => 0 } });
  return Object.fromEntries(results.map((result) => [result.name, result]));
}

describe('checks of the services', () => {
  it('report a service that serves as ok, and skip one without an address', async () => {
    const { policy, wallet } = await examineServices({ POLICY_ADDRESS: address, ...tls });
    expect(policy).toMatchObject({ area: 'services', status: 'ok', found: `serves at ${address}`, advice: null });
    expect(wallet).toMatchObject({ status: 'skipped', found: 'not set: WALLET_ADDRESS' });
  });

  it('fail for a service that does not serve', async () => {
    health.setStatus('', 'NOT_SERVING');
    const { policy } = await examineServices({ POLICY_ADDRESS: address, ...tls });
    expect(policy).toMatchObject({
      status: 'fail',
      found: `answers NOT_SERVING at ${address}`,
      advice: expect.stringContaining('docs/runbooks/service-down.md'),
    });
  });

  it('fail for an address where another service answers', async () => {
    const { wallet } = await examineServices({ WALLET_ADDRESS: address, ...tls });
    expect(wallet).toMatchObject({ status: 'fail', advice: expect.stringContaining('WALLET_ADDRESS names it') });
  });

  it('fail for an address where nothing listens', async () => {
    const { policy } = await examineServices({ POLICY_ADDRESS: '127.0.0.1:1', ...tls });
    expect(policy).toMatchObject({ status: 'fail', found: expect.stringContaining('ECONNREFUSED') });
  });

  it('fail when a certificate file cannot be read', async () => {
    const { policy } = await examineServices({ POLICY_ADDRESS: address, ...tls, TLS_CA_PATH: '/nowhere/ca.pem' });
    expect(policy).toMatchObject({ status: 'fail', found: expect.stringContaining('/nowhere/ca.pem') });
  });
});

describe("the check of the gateway's readiness", () => {
  let gateway: HttpServer;
  let url: string;
  let status = 200;
  beforeEach(async () => {
    status = 200;
    gateway = createServer((request, response) => response.writeHead(request.url === '/readyz' ? status : 404).end());
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    gateway.closeAllConnections();
    return new Promise((resolve) => gateway.close(resolve));
  });

  it('is ok when the gateway is ready', async () => {
    expect((await examineServices({ PUBLIC_URL: url }))['readiness']).toMatchObject({
      status: 'ok',
      found: `ready at ${url}`,
    });
  });

  it('fails when the gateway is not ready', async () => {
    status = 503;
    expect((await examineServices({ PUBLIC_URL: url }))['readiness']).toMatchObject({
      status: 'fail',
      found: `${url}/readyz returns 503`,
    });
  });
});
