import { PARTS, SOLANA_NETWORKS, type SolanaNetwork } from '@agent-wallet/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GatewayDependencies } from '../src/dependencies.js';
import { GatewayModule } from '../src/gateway.module.js';
import { PUBLIC_CODES } from '../src/api/schemas/error-records.js';
import { agentRoutes, ownerRoutes, ROUTES } from '../src/api/routes.js';
import { envelopeErrors, isOfOwners, type RouteContract } from '../src/api/route.js';
import { aboutService, type DocumentFacts } from '../src/http/docs/about.js';
import { llmsDocument } from '../src/http/docs/llms.js';
import { openApiDocument } from '../src/http/docs/open-api.js';
import { skillDocument } from '../src/http/docs/skill.js';
import { DEFAULT_CUSTODY } from '../src/settings.js';
import { RATE_LIMITS, World } from './world.js';

let world: World;
beforeAll(async () => {
  const rateLimits = { ...FACTS.rateLimits, clientPerMinute: 1_000 };
  world = await World.open({ publicUrl: 'https://wallet.example.com', rateLimits });
});
afterAll(() => world.close());

const namesOf = (routes: readonly RouteContract[]) => routes.map(({ method, path }) => `${method} ${path}`).sort();
/** Verbs that summaries of operations begin with. */
const IMPERATIVES = [
  ...[
    'Add',
    'Approve',
    'Buy',
    'Change',
    'Check',
    'Claim',
    'End',
    'Cancel',
    'Exchange',
    'Follow',
    'Choose',
    'Forget',
    'Freeze',
    'Get',
    'List',
    'Log',
    'Mail',
    'Move',
  ],
  ...[
    'Open',
    'Propose',
    'Register',
    'Reject',
    'Remove',
    'Request',
    'Revoke',
    'Sell',
    'Send',
    'Trade',
    'Unwrap',
    'Withdraw',
  ],
];

const NAMES = namesOf(ROUTES);
const FOR_AGENTS = namesOf(agentRoutes(ROUTES));

/** A path with something in the place of its parameters. */
function concrete({ path }: RouteContract): string {
  return path.replace(/\{\w+\}/g, '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f');
}

const FACTS: DocumentFacts = {
  publicUrl: 'https://wallet.example.com',
  network: 'sandbox',
  parts: PARTS,
  sandboxAdminUrl: 'http://127.0.0.1:8905',
  keyCustody: DEFAULT_CUSTODY,
  rateLimits: RATE_LIMITS,
};

describe('the documents', () => {
  it('describe every route that is served but the script of a page, and no other', async () => {
    const documented = async (path: string) => {
      const { paths } = (await world.client.get(path)).body as { paths: Record<string, object> };
      return Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
    };
    const [forAgents, forOwners] = [await documented('/openapi.json'), await documented('/owner/openapi.json')];
    expect(forAgents.sort()).toEqual(FOR_AGENTS);
    expect([...forAgents, ...forOwners, 'GET /docs/{script}'].sort()).toEqual(NAMES);
    const skill = (await world.client.get('/skill.md')).text;
    const described = [...skill.matchAll(/^(?:#### |- `)([A-Z]+ \/[^\s`]*)/gm)].map(([, name]) => name);
    expect(described.sort()).toEqual(forAgents);
    const llms = (await world.client.get('/llms.txt')).text;
    expect([...llms.matchAll(/^- ([A-Z]+ \S+):/gm)].map(([, name]) => name).sort()).toEqual(FOR_AGENTS);
  });

  it('describe what the router really has', async () => {
    const { controllers = [] } = GatewayModule.with({ services: {} } as GatewayDependencies);
    const verbs: Record<number, string> = { 0: 'GET', 1: 'POST', 3: 'DELETE', 4: 'PATCH' };
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
    const needsInput = contract.method === 'POST' || contract.query !== undefined;
    const found = contract.params === undefined ? 200 : 404;
    const reached = contract.auth === 'bearer' ? 401 : needsInput ? 400 : found;
    expect(answer.status).toBe(isOfOwners(contract) ? 501 : reached);
    if (contract.plain && reached === 200 && !isOfOwners(contract))
      expect(answer.headers['content-type']).toBe(`${contract.plain}; charset=utf-8`);
  });

  it.each(ROUTES.filter(({ example }) => example))(
    'the example of $method $path fits its schemas',
    async (contract) => {
      expect(contract.response.safeParse(contract.example!.response).error).toBeUndefined();
      const { dryRun } = contract.example!;
      if (dryRun) expect(contract.response.safeParse(dryRun).error).toBeUndefined();
    },
  );

  it.each(ROUTES)('the summary of $method $path is an imperative', ({ summary }) => {
    expect(IMPERATIVES).toContain(summary.split(' ')[0]);
  });

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
      expect(responses['200'] ?? responses['202']).toBeDefined();
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
      required: ['to'],
      additionalProperties: false,
      properties: { amount: { type: 'number', exclusiveMinimum: 0 } },
    });
    expect(Object.keys(transfer.responses)).toEqual(['200', '202', '400', '403', '409', '422', '504', 'default']);
    const { Failure } = document.components.responses;
    for (const { responses } of operations) {
      expect(responses.default).toEqual({ $ref: '#/components/responses/Failure' });
    }
    expect(Failure.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Failure' });
    for (const code of PUBLIC_CODES) expect(Failure.description).toContain(code);
  });

  it('tell an agent how to start, what to do with failures, and whom it trusts', async () => {
    const skill = (await world.client.get('/skill.md')).text;
    for (const part of [
      '---\nname: agent-wallet\ndescription: ',
      '## Quick start',
      '## Authentication',
      '## Responses and retries',
      '| `same_key` | the same request with the same `Idempotency-Key`',
      '**No response, or one without this envelope**',
      'repeat with the **same** key',
      '**`transactionId` in a failure**: the final response of that operation',
      '## Errors',
      '## Limits',
      'Keys are kept by a test.',
      '**change the policy included**',
      'https://wallet.example.com',
    ]) {
      expect(skill).toContain(part);
    }
    expect(skill).not.toMatch(/undefined|\[object|NaN/);
  });

  it('name every code of a public route once in one table', async () => {
    const skill = (await world.client.get('/skill.md')).text;
    const rows = [...skill.matchAll(/^\|\d{3}\|([A-Z_]+)\|/gm)].map(([, code]) => code as string);
    const codes = agentRoutes(ROUTES).flatMap((contract) => envelopeErrors(contract));
    expect(rows.sort()).toEqual([...new Set([...codes, 'NOT_FOUND', 'METHOD_NOT_ALLOWED'])].sort());
  });

  it('state the bounds of every field that has some', async () => {
    const skill = (await world.client.get('/skill.md')).text;
    for (const part of [
      '|slippageBps|integer 1–5000, default 50|',
      '|**count**|integer 1–100000|',
      '|maxPriceCents|integer 1–99|',
      '`?limit` 1–1000, default 50',
      '`?offset` 0–1000000000, default 0',
      'at most 256 bytes',
      '|newRecipientCoolDownHours|integer 0–168|',
      '|approveAboveInUsd|number > 0, ≤ 1000000000 or null|',
      '|allowedTokens|array ≤ 100 entries or null|',
      '|amount|number > 0|',
      '|amountRaw|',
      '|dailyLimitInUsd|number > 0, ≤ 1000000000',
    ]) {
      expect(skill).toContain(part);
    }
  });

  it('are small: skill.md below 34 kB, llms.txt below 5 kB, each openapi.json below 240 kB, in every network', async () => {
    for (const network of SOLANA_NETWORKS) {
      const facts = { ...FACTS, network };
      expect(Buffer.byteLength(skillDocument(agentRoutes(ROUTES), facts))).toBeLessThan(34_000);
      expect(Buffer.byteLength(llmsDocument(agentRoutes(ROUTES), facts))).toBeLessThan(5_000);
      for (const routes of [agentRoutes(ROUTES), ownerRoutes(ROUTES)]) {
        const openApi = JSON.stringify(openApiDocument(routes, { publicUrl: facts.publicUrl, network }));
        expect(Buffer.byteLength(openApi)).toBeLessThan(240_000);
      }
    }
  });

  it('give no address to which money could be sent, and no example without a variable for it', () => {
    const skill = skillDocument(agentRoutes(ROUTES), FACTS);
    expect(skill.match(/\b[1-9A-HJ-NP-Za-km-z]{32,44}\b/g)).toBeNull();
    expect(skill).toContain('"to\\":\\"${RECIPIENT:?}');
    expect(skill).toContain('Body: `{"to":"<address of the recipient>"');
  });

  it('show how to get test money where it has no value, and nowhere else', () => {
    expect(skillDocument(agentRoutes(ROUTES), FACTS)).toContain('SANDBOX=http://127.0.0.1:8905');
    expect(skillDocument(agentRoutes(ROUTES), { ...FACTS, sandboxAdminUrl: undefined })).toContain(
      'SANDBOX=${SANDBOX:?}',
    );
    const of = (network: (typeof SOLANA_NETWORKS)[number]) => skillDocument(agentRoutes(ROUTES), { ...FACTS, network });
    expect(of('devnet')).toContain('SOL at https://faucet.solana.com, USDC at https://faucet.circle.com');
    expect(of('localnet')).toContain('solana airdrop 2 $WALLET');
    expect(of('mainnet-beta')).not.toMatch(/test money|faucet|airdrop/);
  });

  it('are found from /llms.txt', async () => {
    const text = (await world.client.get('/llms.txt')).text;
    for (const [, at] of text.matchAll(/\(https:\/\/wallet\.example\.com([^)]+)\)/g)) {
      expect((await world.client.get(at as string)).status).toBe(200);
    }
  });
});

describe('the network', () => {
  it('is the same in `/`, skill.md, llms.txt and openapi.json', async () => {
    const read = async (path: string) => (await world.client.get(path)).text;
    expect(JSON.parse(await read('/')).data.network).toBe('devnet');
    expect(JSON.parse(await read('/openapi.json')).info['x-network']).toBe('devnet');
    expect(await read('/skill.md')).toContain('Network: `devnet`. **Money here has no value.**');
    expect(await read('/llms.txt')).toContain('> Network: `devnet`. **Money here has no value.**');
  });

  it('says where money is real', () => {
    const real = { ...FACTS, network: 'mainnet-beta' } as const;
    expect(skillDocument(agentRoutes(ROUTES), real)).toContain('Network: `mainnet-beta`. **Money is real.**');
    expect(aboutService(real).realMoney).toBe(true);
    expect(aboutService(FACTS).realMoney).toBe(false);
  });

  it('has a faucet in the sandbox alone, where agents can reach it', () => {
    const sandboxAdminUrl = 'http://127.0.0.1:8905';
    const faucetAt = (network: SolanaNetwork, url?: string) =>
      aboutService({ publicUrl: FACTS.publicUrl, network, sandboxAdminUrl: url }).faucet;
    expect(faucetAt('sandbox', sandboxAdminUrl)).toBe(`${sandboxAdminUrl}/faucet`);
    expect(faucetAt('sandbox')).toBeNull();
    expect(faucetAt('mainnet-beta', sandboxAdminUrl)).toBeNull();
  });
});

describe('GET /', () => {
  it('greets a program in the envelope', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.9']) {
      const { status, headers, body } = await world.client.get('/', { headers: { accept } });
      expect([status, headers.vary]).toEqual([200, 'Accept']);
      const base = 'https://wallet.example.com';
      expect(body).toMatchObject({ status: true, statusCode: 200 });
      expect(body.data).toEqual({
        name: 'agent-wallet',
        version: '1',
        network: 'devnet',
        realMoney: false,
        faucet: null,
        documents: {
          skill: `${base}/skill.md`,
          llms: `${base}/llms.txt`,
          openapi: `${base}/openapi.json`,
          ownerOpenapi: `${base}/owner/openapi.json`,
          docs: `${base}/docs`,
        },
      });
    }
  });

  it('sends a browser to the page', async () => {
    for (const accept of [
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'TEXT/HTML;level=1, application/json;q=0.9',
      'text/*',
    ]) {
      const { status, headers, text } = await world.client.get('/', { headers: { accept } });
      expect([status, headers.location, headers.vary, text]).toEqual([302, '/docs', 'Accept', '']);
    }
  });

  it('is the only method of its path', async () => {
    const { status, headers } = await world.client.post('/');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
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

  it('is not ready while the wallet service is on another network, but alive', async () => {
    world.script.wallet.getNetwork = async () => ({ network: 'mainnet-beta' });
    const answer = await world.client.get('/readyz');
    expect([answer.status, answer.body.data.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect((await world.client.get('/healthz')).status).toBe(200);
    await world.reset();
    expect((await world.client.get('/readyz')).status).toBe(200);
  });

  it('does not begin on another network than the wallet service', async () => {
    await expect(world.start({ network: 'testnet' })).rejects.toThrow(
      'SOLANA_NETWORK: is testnet, but that of the wallet service is devnet.',
    );
  });
});
