import type { SolanaNetwork } from '@agent-wallet/kernel';
import { z } from 'zod';
import { acceptedRecord } from '../../api/actions/outcome-records.js';
import { EXPLORER_URL, ID, SIGNATURE } from '../../api/schemas/examples.js';
import { ALWAYS, API_VERSION, COUNTED, type HeaderName } from '../../api/schemas/headers.js';
import type { RouteContract } from '../../api/route.js';
import { httpStatus } from '../../api/schemas/units.js';
import { ownerCookieName } from '../owners/owner-cookie.js';
import { failureComponent, failuresOf } from './failure-responses.js';
import { headerComponents, headerReferences } from './header-components.js';
import { type Json, NamedSchemas } from './named-schemas.js';
import { SharedParameters } from './shared-parameters.js';

/** Facts about a deployment in the document. */
interface DocumentedDeployment {
  readonly publicUrl: string;
  readonly network: SolanaNetwork;
  /** The origin of the owners' console; undefined where agents have no owners. */
  readonly ownerOrigin?: string | undefined;
}

/** For a deployment without owners, whose document shows their routes nevertheless. */
const EXAMPLE_ORIGIN = 'https://owner.example.com';

/** Returns the API as OpenAPI 3.1, made from the routes' contracts. */
export function openApiDocument(routes: readonly RouteContract[], deployment: DocumentedDeployment): Json {
  const { publicUrl, network, ownerOrigin = EXAMPLE_ORIGIN } = deployment;
  const schemas = new NamedSchemas();
  const parameters = new SharedParameters(routes, ownerOrigin);
  const paths: Record<string, Json> = {};
  for (const contract of routes) {
    (paths[contract.path] ??= {})[contract.method.toLowerCase()] = operation(contract, schemas, parameters);
  }
  const responses = {
    ...(routes.some(({ accepted: data }) => data === acceptedRecord) ? { Accepted: acceptedResponse(schemas) } : {}),
    Failure: failureComponent(schemas),
  };
  const isOfAgents = routes.some(({ auth }) => auth === 'bearer');
  const security = isOfAgents ? 'bearer' : 'owner';
  const used = JSON.stringify([paths, responses, { [security]: [] }]);
  return {
    openapi: '3.1.0',
    info: {
      title: isOfAgents ? 'Agent Wallet' : 'Agent Wallet: owners',
      version: API_VERSION,
      'x-network': network,
      description:
        'A wallet for autonomous agents: policies, transfers, trades, prediction markets, history. See /skill.md.',
      contact: { name: 'Agent Wallet', url: `${publicUrl}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ [security]: [] }],
    tags: [...new Set(routes.map((contract) => contract.area))].map((name) => ({ name, description: AREAS[name] })),
    paths,
    components: {
      securitySchemes: only(used, (name) => `"${name}":[]`, {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        owner: { type: 'apiKey', in: 'cookie', name: ownerCookieName(ownerOrigin) },
      }),
      headers: only(used, (name) => `#/components/headers/${name}"`, headerComponents(schemas)),
      parameters: parameters.all(),
      responses,
      schemas: schemas.all(),
    },
  };
}

/** Returns the components that the document refers to. */
function only(used: string, reference: (name: string) => string, components: Json): Json {
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.includes(reference(name))));
}

const AREAS: Readonly<Record<RouteContract['area'], string>> = {
  Authentication: 'Log in by e-mail, and end sessions.',
  Wallet: 'Balances, transfers, trades and history.',
  Liquidity: 'Pools of two tokens, and the positions of the agent in them.',
  'Prediction markets': 'Markets of the exchange, orders and positions.',
  Policy: 'What the agent may do.',
  Owners: 'People above agents, in their console: every write needs its Origin header.',
  Service: 'Documents, keys and health of the service.',
};

function operation(contract: RouteContract, schemas: NamedSchemas, shared: SharedParameters): Json {
  const parameters = shared.of(contract);
  return {
    operationId: contract.id,
    tags: [contract.area],
    summary: contract.summary,
    description: contract.notes ?? `${contract.summary}.`,
    ...securityOf(contract),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(contract.body ? { requestBody: requestBody(contract, schemas) } : {}),
    responses: {
      [contract.successStatus ?? 200]: success(contract, schemas),
      ...(contract.accepted ? { 202: accepted(contract, schemas) } : {}),
      ...failuresOf(contract),
    },
  };
}

function securityOf({ auth }: RouteContract): Json {
  if (auth === 'bearer') return {};
  return { security: auth === 'none' || auth === 'console' ? [] : [{ owner: [] }] };
}

/** Operations share one response; other routes have their own `data`. */
function accepted({ id, accepted: data }: RouteContract, schemas: NamedSchemas): Json {
  if (data === acceptedRecord) return { $ref: '#/components/responses/Accepted' };
  const schema = schemas.add(
    `${nameOf(id)}AcceptedEnvelope`,
    envelope(schemas.of(data as z.ZodType, 'output'), schemas),
  );
  return { description: 'Waits for a signature of the owner.', content: { 'application/json': { schema } } };
}

function requestBody(contract: RouteContract, schemas: NamedSchemas): Json {
  const example = contract.example?.request;
  return {
    required: !contract.bodyOptional,
    content: {
      'application/json': {
        schema: schemas.of(contract.body as z.ZodType, 'input'),
        ...(example === undefined ? {} : { example }),
      },
    },
  };
}

/**
 * Returns the success response of a route. Headers of every response are listed with the failures: a reference to each
 * in each 200 would be a tenth of the document.
 */
function success(contract: RouteContract, schemas: NamedSchemas): Json {
  const names: HeaderName[] = [
    ...(contract.idempotent ? (['Idempotency-Status'] as const) : []),
    ...(contract.headers ?? []),
  ];
  const content = contract.plain
    ? { [contract.plain]: { schema: schemas.of(contract.response, 'output') } }
    : {
        'application/json': envelopedData(contract, schemas),
        ...(contract.download ? { [contract.download]: { schema: { type: 'string' } } } : {}),
      };
  return { description: 'Done.', ...(names.length > 0 ? { headers: headerReferences(names) } : {}), content };
}

function envelopedData(contract: RouteContract, schemas: NamedSchemas): Json {
  const name = `${nameOf(contract.id)}Envelope`;
  const schema = schemas.add(name, envelope(schemas.of(contract.response, 'output'), schemas));
  const { response } = contract.example ?? {};
  return response === undefined ? { schema } : { schema, example: enveloped(contract.successStatus ?? 200, response) };
}

function nameOf(id: string): string {
  return `${id[0]!.toUpperCase()}${id.slice(1)}`;
}

function enveloped(statusCode: number, data: unknown): Json {
  return { status: true, statusCode, message: 'Done.', data };
}

function envelope(data: Json, schemas: NamedSchemas): Json {
  const { $ref } = schemas.of(successRecord, 'output');
  return { allOf: [{ $ref }, { type: 'object', required: ['data'], properties: { data } }] };
}

const successRecord = z
  .strictObject({ status: z.literal(true), statusCode: httpStatus('200 or 202.'), message: z.string() })
  .meta({ id: 'Success', description: 'What stands around the `data` of every success.' });

function acceptedResponse(schemas: NamedSchemas): Json {
  const schema = schemas.add('AcceptedEnvelope', envelope(schemas.of(acceptedRecord, 'output'), schemas));
  return {
    description: 'Submitted: the outcome is not known yet; or the owner must approve it first.',
    headers: headerReferences([...ALWAYS, ...COUNTED, 'Idempotency-Status']),
    content: {
      'application/json': {
        schema,
        examples: { Submitted: { value: ACCEPTED_EXAMPLE }, AwaitingApproval: { value: AWAITING_EXAMPLE } },
      },
    },
  };
}

const ACCEPTED_EXAMPLE = {
  status: true,
  statusCode: 202,
  message: 'Submitted. The outcome is not known yet: read it from history, or repeat the request with the same key.',
  data: {
    status: 'submitted',
    transactionStatus: 'submitted',
    transactionId: ID,
    signature: SIGNATURE,
    explorerUrl: EXPLORER_URL,
  },
};

const AWAITING_EXAMPLE = {
  status: true,
  statusCode: 202,
  message: 'The owner must approve it. Nothing was sent. Ask the owner, then repeat the request with the same key.',
  data: {
    status: 'awaiting_approval',
    transactionStatus: 'awaiting_approval',
    transactionId: ID,
    approvalId: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f',
    approvalUrl: null,
    expiresAt: '2026-11-22T10:02:00.000Z',
    reasons: ['above_amount'],
  },
};
