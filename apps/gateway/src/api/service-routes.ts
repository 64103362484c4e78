import { mediaQualityOf } from './accept.js';
import { PlainResponse, jsonDocument } from './response.js';
import { type Part, SOLANA_NETWORKS } from '@agent-wallet/kernel';
import { z } from 'zod';
import { jsonValue } from './schemas/json-value.js';
import { defineRoute } from './route.js';

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

const OK = { status: 'ok' };

export const serviceRoute = defineRoute(
  {
    id: 'getService',
    method: 'GET',
    path: '/',
    auth: 'none',
    area: 'Service',
    summary: 'Get the service’s description, network and documents',
    notes: 'A browser (`Accept: text/html`) is sent to `/docs`.',
    response: z
      .strictObject({
        name: z.string(),
        version: z.string().meta({ description: '`info.version` of openapi.json.' }),
        network: z.enum(SOLANA_NETWORKS),
        realMoney: z.boolean().meta({ description: 'Whether what moves here is worth money.' }),
        faucet: z
          .url()
          .nullable()
          .meta({
            description:
              'Pays test money to any wallet, without a login: `POST {address, token, amount}`. `null` outside the sandbox, and ' +
              'where agents cannot reach it.',
          }),
        documents: z
          .strictObject({ skill: z.url(), llms: z.url(), openapi: z.url(), ownerOpenapi: z.url(), docs: z.url() })
          .meta({ id: 'ServiceDocuments' }),
      })
      .meta({ id: 'Service' }),
    errors: [],
    example: {
      response: {
        name: 'agent-wallet',
        version: '1',
        network: 'sandbox',
        realMoney: false,
        faucet: 'http://127.0.0.1:8905/faucet',
        documents: {
          skill: 'https://wallet.example.com/skill.md',
          llms: 'https://wallet.example.com/llms.txt',
          openapi: 'https://wallet.example.com/openapi.json',
          ownerOpenapi: 'https://wallet.example.com/owner/openapi.json',
          docs: 'https://wallet.example.com/docs',
        },
      },
    },
  },
  ({ facts: { headers } }, { documents }) => {
    const data = documents.service();
    const accept = headers['accept']?.toString();
    const wantsPage = mediaQualityOf('text/html', accept) > mediaQualityOf('application/json', accept);
    if (wantsPage) return new PlainResponse(302, { location: new URL(data.documents.docs).pathname, vary: 'Accept' });
    const message = 'An API for autonomous agents. Start with the skill.';
    return { message, data, headers: { vary: 'Accept' } };
  },
);

export const capabilitiesRoute = defineRoute(
  {
    id: 'getCapabilities',
    method: 'GET',
    path: '/capabilities',
    auth: 'none',
    area: 'Service',
    summary: 'Get what this deployment offers',
    notes: 'A route of a part that is `false` answers 501 `CAPABILITY_UNAVAILABLE`, and no document lists it.',
    response: z
      .strictObject({
        network: z.enum(SOLANA_NETWORKS),
        realMoney: z.boolean().meta({ description: 'Whether what moves here is worth money.' }),
        parts: z
          .strictObject({
            transfers: z.boolean(),
            trading: z.boolean(),
            liquidity: z.boolean(),
            predictions: z.boolean(),
          } satisfies Record<Part, z.ZodBoolean>)
          .meta({ id: 'Parts' }),
      })
      .meta({ id: 'Capabilities' }),
    errors: [],
    example: {
      response: {
        network: 'devnet',
        realMoney: false,
        parts: { transfers: true, trading: false, liquidity: false, predictions: false },
      },
    },
  },
  (_call, { documents, parts }) => {
    const { network, realMoney } = documents.service();
    const has = (part: Part) => parts.includes(part);
    return {
      message: 'What this deployment offers.',
      data: {
        network,
        realMoney,
        parts: {
          transfers: has('transfers'),
          trading: has('trading'),
          liquidity: has('liquidity'),
          predictions: has('predictions'),
        },
      },
    };
  },
);

export const skillRoute = defineRoute(
  {
    id: 'getSkill',
    method: 'GET',
    path: '/skill.md',
    auth: 'none',
    headers: DOCUMENT_HEADERS,
    area: 'Service',
    summary: 'Get the guide for agents',
    response: z.string(),
    plain: 'text/markdown',
    errors: [],
  },
  ({ facts: { headers } }, { documents }) => documents.serve('skill', headers),
);

export const llmsRoute = defineRoute(
  {
    id: 'getLlms',
    method: 'GET',
    path: '/llms.txt',
    auth: 'none',
    headers: DOCUMENT_HEADERS,
    area: 'Service',
    summary: 'Get links to the documents',
    response: z.string(),
    plain: 'text/plain',
    errors: [],
  },
  ({ facts: { headers } }, { documents }) => documents.serve('llms', headers),
);

export const openApiRoute = defineRoute(
  {
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    headers: DOCUMENT_HEADERS,
    area: 'Service',
    summary: 'Get this API as OpenAPI 3.1',
    response: z.object({ openapi: z.string() }).catchall(jsonValue).meta({ id: 'OpenApiDocument' }),
    plain: 'application/json',
    errors: [],
  },
  ({ facts: { headers } }, { documents }) => documents.serve('openapi', headers),
);

export const ownerOpenApiRoute = defineRoute(
  {
    id: 'getOwnerOpenApi',
    method: 'GET',
    path: '/owner/openapi.json',
    auth: 'none',
    headers: DOCUMENT_HEADERS,
    area: 'Service',
    summary: 'Get the API of the owners’ console as OpenAPI 3.1',
    response: openApiRoute.response,
    plain: 'application/json',
    errors: [],
  },
  ({ facts: { headers } }, { documents }) => documents.serve('ownerOpenapi', headers),
);

export const docsRoute = defineRoute(
  {
    id: 'getDocs',
    method: 'GET',
    path: '/docs',
    auth: 'none',
    headers: DOCUMENT_HEADERS,
    area: 'Service',
    summary: 'Open the API reference in a browser',
    response: z.string(),
    plain: 'text/html',
    errors: [],
  },
  ({ facts: { headers } }, { documents }) => documents.serve('docs', headers),
);

export const docsScriptRoute = defineRoute(
  {
    id: 'getDocsScript',
    method: 'GET',
    path: '/docs/{script}',
    auth: 'none',
    headers: DOCUMENT_HEADERS,
    area: 'Service',
    summary: 'Get the script of that page',
    params: z.strictObject({ script: z.string().meta({ description: 'The name in the page.' }) }),
    response: z.string(),
    plain: 'text/javascript',
    errors: ['NOT_FOUND'],
  },
  ({ facts: { headers }, input: { params } }, { documents }) => documents.serveDocsScript(params.script, headers),
);

export const jwksRoute = defineRoute(
  {
    id: 'getJwks',
    method: 'GET',
    path: '/.well-known/jwks.json',
    auth: 'none',
    headers: ['Cache-Control'],
    area: 'Service',
    summary: 'Get the public keys that verify tokens',
    response: z.strictObject({ keys: z.array(jwk) }).meta({ id: 'JsonWebKeySet' }),
    plain: 'application/json',
    errors: [],
  },
  (_call, { tokenKeys }) => {
    const headers = { 'cache-control': 'public, max-age=60' };
    return jsonDocument({ keys: tokenKeys.publicKeys() }, headers);
  },
);

export const healthRoute = defineRoute(
  {
    id: 'getHealth',
    method: 'GET',
    path: '/healthz',
    auth: 'none',
    isCounted: false,
    area: 'Service',
    summary: 'Check that the process is alive',
    response: health,
    plain: 'application/json',
    errors: [],
  },
  () => jsonDocument(OK),
);

export const readyRoute = defineRoute(
  {
    id: 'getReadiness',
    method: 'GET',
    path: '/readyz',
    auth: 'none',
    isCounted: false,
    area: 'Service',
    summary: 'Check that database and services are reachable',
    notes: 'The result is up to a second old.',
    response: health,
    plain: 'application/json',
    errors: [],
  },
  async (_call, { readiness }) => {
    await readiness.check();
    return jsonDocument(OK);
  },
);
