import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GatewayDependencies } from '../src/dependencies.js';
import { GatewayModule } from '../src/gateway.module.js';
import { ROUTES } from '../src/http/contract/routes.js';
import type { RouteContract } from '../src/http/contract/route.js';
import { World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await World.open({ publicUrl: 'https://wallet.example.com' });
}, 60_000);
afterAll(() => world.close());

const NAMES = ROUTES.map(({ method, path }) => `${method} ${path}`).sort();

/** A path with something in the place of its parameters. */
function concrete({ path }: RouteContract): string {
  return path.replace(/\{\w+\}/g, '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f');
}

describe('the documents', () => {
  it('describe every route that is served, and no other', async () => {
    const { paths } = (await world.client.get('/openapi.json')).body as { paths: Record<string, object> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(NAMES);
    const skill = (await world.client.get('/skill.md')).text;
    expect([...skill.matchAll(/^#### (\w+ \S+)$/gm)].map(([, name]) => name).sort()).toEqual(NAMES);
  });

  it('describe what the router really has', async () => {
    const { controllers = [] } = GatewayModule.with({ services: {}, actions: {} } as GatewayDependencies);
    const verbs: Record<number, string> = { 0: 'GET', 1: 'POST', 4: 'PATCH' };
    const served = controllers.flatMap(({ prototype }) =>
      Object.getOwnPropertyNames(prototype).flatMap((name) => {
        const handler = Reflect.get(prototype, name) as object;
        const path = Reflect.getMetadata('path', handler) as string | undefined;
        const method = Reflect.getMetadata('method', handler) as number;
        return name === 'constructor' || path === undefined
          ? []
          : [`${verbs[method]} ${path.replace(/:(\w+)/g, '{$1}')}`];
      }),
    );
    expect(served.sort()).toEqual(NAMES);
  });

  it.each(ROUTES)('$method $path is served', async (contract) => {
    const answer = await world.client.call(contract.method, concrete(contract), {});
    expect(answer.status).toBe(contract.auth === 'bearer' ? 401 : contract.plain ? 200 : 400);
    if (contract.plain) expect(answer.headers['content-type']).toBe(`${contract.plain}; charset=utf-8`);
  });

  it.each(ROUTES.filter(({ example }) => example))(
    'the example of $method $path fits its schemas',
    async (contract) => {
      expect(contract.response.safeParse(JSON.parse(contract.example!.response)).error).toBeUndefined();
      const { dryRun } = contract.example as { readonly dryRun?: string };
      if (dryRun) expect(contract.response.safeParse(JSON.parse(dryRun)).error).toBeUndefined();
    },
  );

  it('are complete OpenAPI: every reference resolves, every operation has an id of its own', async () => {
    const document = (await world.client.get('/openapi.json')).body;
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://wallet.example.com' }] });
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, at]) => at as string);
    expect(references.length).toBeGreaterThan(10);
    for (const at of new Set(references)) {
      expect(at.split('/').reduce((node, name) => node?.[name], document)).toBeDefined();
    }
    const operations = Object.values(document.paths as object).flatMap((path) => Object.values(path as object));
    const ids = operations.map(({ operationId }) => operationId as string);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { responses, parameters = [] } of operations) {
      expect(responses['200']).toBeDefined();
      for (const given of parameters) {
        const parameter = given.$ref ? document.components.parameters[given.$ref.split('/').at(-1)] : given;
        expect(parameter).toMatchObject({ name: expect.any(String), in: expect.stringMatching(/path|query|header/) });
      }
    }
    const transfer = document.paths['/wallets/me/actions/transfer'].post;
    expect(transfer.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/TransferRequest',
    });
    expect(document.components.schemas.TransferRequest).toMatchObject({
      type: 'object',
      required: ['to', 'amount'],
      additionalProperties: false,
      properties: { amount: { type: 'number', exclusiveMinimum: 0 } },
    });
    expect(Object.keys(transfer.responses)).toEqual(
      expect.arrayContaining([
        '200',
        '202',
        '400',
        '401',
        '403',
        '409',
        '413',
        '415',
        '422',
        '429',
        '500',
        '502',
        '503',
        '504',
      ]),
    );
  });

  it('tell an agent how to start, what to do with errors, and whom it trusts', async () => {
    const skill = (await world.client.get('/skill.md')).text;
    for (const part of [
      '## Quick start',
      '## Authentication',
      '## Errors and retries',
      '## Limits',
      'without the envelope',
      '**same** key',
      '**A 5xx with `transactionId`** is the final answer of that operation',
      '**A 5xx with the envelope and without `transactionId`**: this request began nothing',
      '**A key that was sent and got no answer, or a 202, keeps its operation.**',
      'Keys are kept by a test.',
      'changing its own\npolicy included',
      'https://wallet.example.com',
    ]) {
      expect(skill).toContain(part);
    }
    expect(skill).not.toMatch(/undefined|\[object/);
  });

  it('are found from /llms.txt', async () => {
    const text = (await world.client.get('/llms.txt')).text;
    for (const [, at] of text.matchAll(/\(https:\/\/wallet\.example\.com([^)]+)\)/g)) {
      expect((await world.client.get(at as string)).status).toBe(200);
    }
  });
});

describe('health', () => {
  it('is alive and ready', async () => {
    expect((await world.client.get('/healthz')).body).toEqual({ status: 'ok' });
    expect((await world.client.get('/readyz')).body).toEqual({ status: 'ok' });
  });

  it.each(['wallet', 'swap', 'prediction', 'policy', 'history'] as const)(
    'is not ready while %s is away, but alive',
    async (service) => {
      await world.services[service].kill();
      const answer = await world.client.get('/readyz');
      expect([answer.status, answer.body.data.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect((await world.client.get('/healthz')).status).toBe(200);
      await world.reset();
    },
  );
});
