import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { HEADERS } from '../src/api/schemas/headers.js';
import { agentRoutes, ownerRoutes, ROUTES } from '../src/api/routes.js';
import { openApiDocument } from '../src/http/docs/open-api.js';
import { listed } from './default-script.js';
import { World } from './world.js';

/** A part of openapi.json. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly 'x-unit'?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly maxLength?: number;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const text = JSON.stringify(openApiDocument(ROUTES, { publicUrl: 'https://wallet.test', network: 'sandbox' }));
const document = JSON.parse(text) as Document;
const { schemas } = document.components;
const NUMBERS = ['number', 'integer'];

/** Names of the schemas that are a number: the units. */
const units = Object.keys(schemas).filter((name) => NUMBERS.includes(schemas[name]!.type ?? ''));

/** Every schema within a value of the document, with where it stands. */
function* schemasIn(value: unknown, at = ''): Generator<readonly [at: string, schema: Schema]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value];
  for (const [name, part] of Object.entries(value)) {
    if (!['example', 'examples', 'mapping'].includes(name)) yield* schemasIn(part, `${at}/${name}`);
  }
}

const all = [...schemasIn(document)];

describe('openapi.json', () => {
  it('gives every number a unit', () => {
    const bare = all.filter(([at, schema]) => {
      const isUnit = units.some((name) => at === `/components/schemas/${name}`);
      if (at.startsWith('/components/schemas/JsonValue/')) return false;
      return NUMBERS.includes(schema.type ?? '') && !isUnit && !units.includes(schema['x-unit'] ?? '');
    });
    expect(bare.map(([at]) => at)).toEqual([]);
    expect(units).toEqual(expect.arrayContaining(['Usd', 'DollarAmount', 'Cents', 'AverageCents', 'Lamports', 'Bps']));
  });

  it('gives prices beside a field of the same stem as text, and other dollars as numbers', () => {
    const dollars = Object.values(schemas).flatMap(({ properties = {} }) =>
      Object.entries(properties)
        .filter(([name]) => name.endsWith('Dollars'))
        .map(([name, schema]) => {
          const stem = name.replace(/Dollars$/, '');
          const isExact = stem in properties || (stem.endsWith('Price') && `${stem}Cents` in properties);
          return [name, isExact ? 'DollarPrice' : 'DollarAmount', JSON.stringify(schema)] as const;
        }),
    );
    expect(dollars.length).toBeGreaterThan(20);
    for (const [name, unit, schema] of dollars) expect([name, schema]).toEqual([name, expect.stringContaining(unit)]);
  });

  it('says of every field what it holds, except of those that browsers add to a passkey’s response', () => {
    const keywords = ['$ref', 'type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'];
    const bare = all.filter(([at, schema]) => {
      const isSchema = /\/(properties\/[^/]+|items|schema|additionalProperties|(anyOf|oneOf|allOf)\/\d+)$/.test(at);
      const isNotRead = ['Not read.', 'As that action has it.'].includes(schema.description as string);
      return isSchema && !isNotRead && !keywords.some((keyword) => keyword in schema);
    });
    expect(bare.map(([at]) => at)).toEqual([]);
  });

  it.each([
    ['https://owner.test', '__Secure-owner'],
    ['http://localhost:8080', 'owner'],
  ])('names the cookie and the Origin header that owners of %s need', (ownerOrigin, name) => {
    const facts = { publicUrl: 'https://wallet.test', network: 'sandbox', ownerOrigin } as const;
    const { components, paths } = openApiDocument(ROUTES, facts) as unknown as Document & {
      readonly components: { readonly securitySchemes: object; readonly parameters: object };
    };
    expect(components.securitySchemes).toMatchObject({ owner: { in: 'cookie', name } });
    expect(components.parameters).toMatchObject({ Origin: { in: 'header', schema: { const: ownerOrigin } } });
    expect(paths['/owner/logout']!['post']).toMatchObject({ parameters: [{ $ref: '#/components/parameters/Origin' }] });
  });

  it('describes every operation, and names a contact, as linters ask', () => {
    for (const routes of [agentRoutes(ROUTES), ownerRoutes(ROUTES)]) {
      const { info, paths } = openApiDocument(routes, { publicUrl: 'https://wallet.test', network: 'sandbox' }) as {
        info: object;
        paths: Readonly<Record<string, Readonly<Record<string, { readonly description?: string }>>>>;
      };
      expect(info).toMatchObject({ contact: { url: 'https://wallet.test/docs' } });
      const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
      expect(operations.filter(({ description }) => !description)).toEqual([]);
    }
  });

  it('names every object', () => {
    const inline = all.filter(([at, schema]) => {
      const isNamed = /^\/components\/schemas\/\w+(\/allOf\/\d+)?$/.test(at);
      return schema.type === 'object' && schema.properties !== undefined && !isNamed;
    });
    expect(inline.map(([at]) => at)).toEqual([]);
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
  });

  it('gives every default the type of its field', () => {
    // The default of an operation's responses is a response.
    const defaults = all.filter(([at, schema]) => schema.default !== undefined && !at.endsWith('/responses'));
    expect(defaults.length).toBeGreaterThan(10);
    const wrong = defaults.filter(([, { type, default: given }]) =>
      type === 'integer' ? !Number.isInteger(given) : typeof given !== type,
    );
    expect(wrong.map(([at]) => at)).toEqual([]);
    expect(all.filter(([, schema]) => schema.enum?.includes('true')).map(([at]) => at)).toEqual([]);
  });

  it('bounds every text of a request', () => {
    const bodies = Object.entries(schemas).filter(([name]) => name.endsWith('Request'));
    const fields = bodies.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([field, schema]) => [`${name}.${field}`, schema.items ?? schema] as const),
    );
    const query = all.flatMap(([at, schema]) => {
      const { in: place, schema: of } = schema as { in?: string; schema?: Schema };
      return place === 'query' && of ? [[at, of] as const] : [];
    });
    const texts = [...fields, ...query].filter(([, { type }]) => type === 'string');
    expect(texts.length).toBeGreaterThan(10);
    const isBound = ({ maxLength, enum: values, format, pattern }: Schema) => maxLength ?? values ?? format ?? pattern;
    expect(texts.filter(([, schema]) => isBound(schema) === undefined).map(([at]) => at)).toEqual([]);
  });

  it('names every operation by a verb and a noun', () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    for (const id of ids)
      expect(id).toMatch(
        /^(add|get|list|open|start|complete|validate|refresh|end|transfer|trade|unwrap|buy|sell|withdraw|update|propose|confirm|approve|reject|claim|register|remove|freeze|unfreeze|follow|cancel|choose|forget)/,
      );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has nothing that a linter would change', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const facts = { publicUrl: 'https://wallet.test', network: 'sandbox' } as const;
    const parts = [agentRoutes(ROUTES), ownerRoutes(ROUTES)].map((routes) => openApiDocument(routes, facts));
    const sources = [text, ...parts.map((part) => JSON.stringify(part))];
    const problems = (await Promise.all(sources.map((source) => lintFromString({ source, config })))).flat();
    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual(
      [],
    );
  });
});

/** Headers that say nothing of the API: of the transport, of the browser's safety. */
const SILENT =
  /^(connection|keep-alive|date|content-(disposition|length|type|security-policy)|transfer-encoding|vary|strict-transport-security|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection)|(cross-)?origin-.*|referrer-policy)$/;

describe('headers', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world.close());

  it('are all documented', async () => {
    const { client } = await world.login();
    const body = { to: 'RecipientWa11etThatYouChoose111111111111111', amount: 1 };
    world.script.history.listTransactions = async () => ({ ...listed([]), nextCursor: 'next' });
    const replies = [
      await client.get('/wallets/me/balances'),
      await world.client.get('/wallets/me/balances'),
      await client.get('/wallets/me/history/export?format=csv'),
      await client.get('/skill.md'),
      await client.get('/docs'),
      await client.get('/.well-known/jwks.json'),
      await client.get('/nothing'),
      await client.call('PATCH', '/wallets/me/balances', {}),
      await client.post('/wallets/me/actions/transfer', body, { 'idempotency-key': 'one' }),
      await client.post('/wallets/me/actions/transfer', body, { 'idempotency-key': 'one' }),
    ];
    const documented = Object.keys(HEADERS).map((name) => name.toLowerCase());
    const sent = new Set(replies.flatMap(({ headers }) => Object.keys(headers)));
    expect([...sent].filter((name) => !SILENT.test(name) && !documented.includes(name))).toEqual([]);
    for (const name of documented.filter((each) => each !== 'retry-after')) expect([...sent]).toContain(name);
    expect(replies[0]!.headers).toMatchObject({
      'x-request-id': expect.any(String),
      'x-ratelimit-limit': expect.any(String),
    });
    expect(replies[1]!.headers).toMatchObject({ 'www-authenticate': 'Bearer' });
  });
});
