import { type ErrorCode, errorEntry, type SolanaNetwork } from '@agent-wallet/kernel';
import { z } from 'zod';
import { envelopeErrors, type RouteContract } from '../contract/route.js';
import { API_VERSION } from './about.js';

type Json = Record<string, unknown>;

/** The API as OpenAPI 3.1, made from the routes' contracts. */
export function openApiDocument(routes: readonly RouteContract[], publicUrl: string, network: SolanaNetwork): Json {
  const paths: Record<string, Json> = {};
  for (const contract of routes) (paths[contract.path] ??= {})[contract.method.toLowerCase()] = operation(contract);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Wallet',
      version: API_VERSION,
      'x-network': network,
      description:
        'A wallet for autonomous agents: policies, transfers, trades, prediction markets, history. See /skill.md.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(routes.map((contract) => contract.area))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Failure: FAILURE },
    },
  };
}

const FAILURE = {
  type: 'object',
  required: ['status', 'statusCode', 'message', 'data'],
  properties: {
    status: { const: false },
    statusCode: { type: 'integer' },
    message: { type: 'string' },
    data: {
      type: 'object',
      required: ['code', 'requestId', 'retryable'],
      properties: {
        code: { type: 'string' },
        requestId: { type: 'string', format: 'uuid' },
        retryable: { type: 'boolean' },
        transactionId: {
          type: 'string',
          format: 'uuid',
          description:
            'Of a financial request: this is the final answer of its operation, and a new try takes a new ' +
            'Idempotency-Key. A 401, 409, 429 or 5xx without it ends no operation: repeat with the same key.',
        },
        details: {
          type: 'array',
          items: {
            type: 'object',
            required: ['field', 'reason'],
            properties: { field: { type: 'string' }, reason: { type: 'string' } },
          },
        },
      },
    },
  },
};

function operation(contract: RouteContract): Json {
  const parameters = [
    ...parametersOf(contract.params, 'path'),
    ...parametersOf(contract.query, 'query'),
    ...(contract.idempotent ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: contract.id,
    tags: [contract.area],
    summary: contract.summary,
    ...(contract.notes ? { description: contract.notes } : {}),
    security: contract.auth === 'bearer' ? [{ bearer: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(contract.body ? { requestBody: requestBody(contract) } : {}),
    responses: responsesOf(contract),
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat; 1–128 printable characters, new for every new operation. Keep to the same one ' +
    'after no answer, a 202, and a 401, 409, 429 or 5xx without `transactionId`.',
  schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[ -~]+$' },
};

function requestBody(contract: RouteContract): Json {
  const example = contract.example?.request;
  return {
    required: !contract.bodyOptional,
    content: {
      'application/json': {
        schema: schemaOf(contract.body as z.ZodType, 'input'),
        ...(example ? { example: JSON.parse(example) as unknown } : {}),
      },
    },
  };
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

function responsesOf(contract: RouteContract): Json {
  const success = contract.plain
    ? { [contract.plain]: { schema: schemaOf(contract.response, 'output') } }
    : { 'application/json': enveloped(contract, 200, contract.response) };
  const responses: Json = { 200: { description: 'Done.', content: success } };
  if (contract.accepted) {
    responses[202] = {
      description: 'Submitted: the outcome is not known yet.',
      content: { 'application/json': enveloped(contract, 202, contract.accepted) },
    };
  }
  for (const [http, codes] of byStatus(envelopeErrors(contract))) {
    responses[http] = {
      description: codes.join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
    };
  }
  return responses;
}

function enveloped(contract: RouteContract, statusCode: number, data: z.ZodType): Json {
  const example = statusCode === 200 ? contract.example?.response : undefined;
  const schema = {
    type: 'object',
    required: ['status', 'statusCode', 'message', 'data'],
    properties: {
      status: { const: true },
      statusCode: { const: statusCode },
      message: { type: 'string' },
      data: statusCode === 200 ? dataOf(contract, data) : schemaOf(data, 'output'),
    },
  };
  if (!example) return { schema };
  return { schema, example: { status: true, statusCode, message: 'Done.', data: JSON.parse(example) as unknown } };
}

/** `data` of a 200: done now, done before, or only looked at. */
function dataOf(contract: RouteContract, data: z.ZodType): Json {
  const done = schemaOf(data, 'output');
  const others = [
    ...(contract.idempotent ? [cached(data)] : []),
    ...(contract.dryRun ? [{ ...schemaOf(contract.dryRun, 'output'), description: 'The answer to a dry run.' }] : []),
  ];
  return others.length === 0 ? done : { anyOf: [done, ...others] };
}

function cached(data: z.ZodType): Json {
  return {
    type: 'object',
    description: 'The answer to a repeated request.',
    required: ['cached', 'originalResponse'],
    properties: { cached: { const: true }, originalResponse: schemaOf(data, 'output') },
  };
}

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { http } = errorEntry(code);
    grouped.set(http, [...(grouped.get(http) ?? []), code]);
  }
  return new Map([...grouped].sort(([a], [b]) => a - b));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
