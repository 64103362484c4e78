import { SOLANA_NETWORKS } from '@agent-wallet/kernel';
import { z } from 'zod';
import { jsonValue } from './fields.js';
import { route } from './route.js';

/** Documents are compressed and revalidated. */
const DOCUMENT_HEADERS = ['Cache-Control', 'ETag', 'Vary'] as const;

const health = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' });

const jwk = z
  .strictObject({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.string(),
    y: z.string(),
    kid: z.string(),
    alg: z.literal('ES256'),
    use: z.literal('sig'),
  })
  .meta({ id: 'JsonWebKey' });

export const serviceRoute = route({
  id: 'getService',
  method: 'GET',
  path: '/',
  auth: 'none',
  area: 'Service',
  summary: 'What this service is, its network, and its documents',
  notes: 'A browser (`Accept: text/html`) is sent to `/docs`.',
  response: z
    .strictObject({
      name: z.string(),
      version: z.string().meta({ description: '`info.version` of openapi.json.' }),
      network: z.enum(SOLANA_NETWORKS),
      realMoney: z.boolean().meta({ description: 'Whether what moves here is worth money.' }),
      documents: z
        .strictObject({ skill: z.url(), llms: z.url(), openapi: z.url(), docs: z.url() })
        .meta({ id: 'ServiceDocuments' }),
    })
    .meta({ id: 'Service' }),
  errors: [],
  example: {
    response:
      '{"name":"agent-wallet","version":"1","network":"sandbox","realMoney":false,"documents":{"skill":"https://wallet.example.com/skill.md","llms":"https://wallet.example.com/llms.txt","openapi":"https://wallet.example.com/openapi.json","docs":"https://wallet.example.com/docs"}}',
  },
});

export const skillRoute = route({
  id: 'getSkill',
  method: 'GET',
  path: '/skill.md',
  auth: 'none',
  headers: DOCUMENT_HEADERS,
  area: 'Service',
  summary: 'What an agent needs to use the service',
  response: z.string(),
  plain: 'text/markdown',
  errors: [],
});

export const llmsRoute = route({
  id: 'getLlms',
  method: 'GET',
  path: '/llms.txt',
  auth: 'none',
  headers: DOCUMENT_HEADERS,
  area: 'Service',
  summary: 'Where the documents are',
  response: z.string(),
  plain: 'text/plain',
  errors: [],
});

export const openApiRoute = route({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  headers: DOCUMENT_HEADERS,
  area: 'Service',
  summary: 'This API as OpenAPI 3.1',
  response: z.object({ openapi: z.string() }).catchall(jsonValue).meta({ id: 'OpenApiDocument' }),
  plain: 'application/json',
  errors: [],
});

export const docsRoute = route({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  auth: 'none',
  headers: DOCUMENT_HEADERS,
  area: 'Service',
  summary: 'This API in a browser: read it, and try it with your token',
  response: z.string(),
  plain: 'text/html',
  errors: [],
});

export const jwksRoute = route({
  id: 'getJwks',
  method: 'GET',
  path: '/.well-known/jwks.json',
  auth: 'none',
  headers: ['Cache-Control'],
  area: 'Service',
  summary: 'Public keys that tokens are verified with',
  response: z.strictObject({ keys: z.array(jwk) }).meta({ id: 'JsonWebKeySet' }),
  plain: 'application/json',
  errors: [],
});

export const healthRoute = route({
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  auth: 'none',
  isCounted: false,
  area: 'Service',
  summary: 'Whether the process is alive',
  response: health,
  plain: 'application/json',
  errors: [],
});

export const readyRoute = route({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  auth: 'none',
  isCounted: false,
  area: 'Service',
  summary: 'Whether requests can be served: the database and the services behind are reachable',
  response: health,
  plain: 'application/json',
  errors: [],
});
