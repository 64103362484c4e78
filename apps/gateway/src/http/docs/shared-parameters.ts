import type { z } from 'zod';
import { isOfOwners, isStream, type RouteContract } from '../../api/route.js';
import { inputFields, type Json } from './named-schemas.js';

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat; 1–128 printable characters, new for every new operation. Keep to the same one ' +
    'after no answer, a 202, and a 401, 409, 429 or 5xx without `transactionId`.',
  schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[ -~]+$' },
};

const PREFER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`return=original`: a repeat with the same key gets the first response as it was, without `cached` around it. ' +
    '`Idempotency-Status` says that it is one.',
  schema: { type: 'string' },
};

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: '`ETag` of the version that the change is of: another one in force is 412 `VERSION_MISMATCH`.',
  schema: { type: 'string' },
};

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    '`id` of the last event that you have: what happened since comes first. Browsers set it when they reconnect.',
  schema: { type: 'string' },
};

/** Parameters of the routes; those that several routes have stand in openapi.json once. */
export class SharedParameters {
  readonly #names = new Map<string, string>();

  /** @param ownerOrigin of the owners' console */
  constructor(
    routes: readonly RouteContract[],
    private readonly ownerOrigin: string,
  ) {
    const uses = new Map<string, number>();
    for (const parameter of routes.flatMap((contract) => this.#parametersOf(contract))) {
      const text = JSON.stringify(parameter);
      uses.set(text, (uses.get(text) ?? 0) + 1);
      const name = String(parameter['name']).replace(/(?:^|[-_])(\w)/g, (_, first: string) => first.toUpperCase());
      const isFree = ![...this.#names.values()].includes(name);
      if (uses.get(text) === 2 && isFree) this.#names.set(text, name);
    }
  }

  /** Returns the parameters of a route, as they are or as references. */
  of(contract: RouteContract): Json[] {
    return this.#parametersOf(contract).map((parameter) => {
      const name = this.#names.get(JSON.stringify(parameter));
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    });
  }

  #parametersOf(contract: RouteContract): Json[] {
    return [
      ...parametersOf(contract.params, 'path'),
      ...parametersOf(contract.query, 'query'),
      ...(contract.idempotent ? [IDEMPOTENCY_KEY, PREFER] : []),
      ...(contract.conditional ? [IF_MATCH] : []),
      ...(isStream(contract) ? [LAST_EVENT_ID] : []),
      ...(isOfOwners(contract) && contract.method !== 'GET' ? [originParameter(this.ownerOrigin)] : []),
    ];
  }

  /** Returns the shared parameters by name. */
  all(): Json {
    return Object.fromEntries([...this.#names].map(([text, name]) => [name, JSON.parse(text) as Json]));
  }
}

/** Browsers send it by themselves; other clients must. */
function originParameter(origin: string): Json {
  const description = 'The console. Browsers set it.';
  return { name: 'Origin', in: 'header', required: true, description, schema: { type: 'string', const: origin } };
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties, required } = inputFields(schema);
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    ...(place === 'path' || required.includes(name) ? { required: true } : {}),
    ...(description ? { description } : {}),
    schema: property,
  }));
}
