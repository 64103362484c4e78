import { describe, expect, it } from '@jest/globals';
import { ACTIONS } from '../../api/actions/actions.js';
import { scopeOf } from '../../api/route.js';
import { agentRoutes, ROUTES } from '../../api/routes.js';
import { modelTool, modelTools } from './model-tools.js';
import type { Json } from './named-schemas.js';
import { openApiDocument } from './open-api.js';

const ROUTES_OF_TOOLS = agentRoutes(ROUTES).filter(({ tool }) => tool);
const DOCUMENT = openApiDocument(agentRoutes(ROUTES), { publicUrl: 'http://localhost', network: 'sandbox' });

/** Follows a reference of openapi.json. */
function resolved(schema: Json): Json {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const names = $ref.split('/').slice(1);
  return { ...resolved(names.reduce((part, name) => part[name] as Json, DOCUMENT)), ...schema };
}

/** Returns the schemas of a route's input as openapi.json has them, by name: of its path, its query and its body. */
function documentedFields(method: string, path: string): Map<string, Json> {
  const operation = (DOCUMENT['paths'] as Record<string, Record<string, Json>>)[path]![method.toLowerCase()]!;
  const parameters = ((operation['parameters'] ?? []) as Json[])
    .map(resolved)
    .filter((each) => each['in'] !== 'header');
  const body = operation['requestBody'] as { readonly content: Record<string, { readonly schema: Json }> } | undefined;
  const { properties = {} } = body ? resolved(body.content['application/json']!.schema) : {};
  return new Map([
    ...Object.entries(properties as Record<string, Json>).map(([name, schema]) => [name, resolved(schema)] as const),
    ...parameters.map((each) => [String(each['name']), resolved(each['schema'] as Json)] as const),
  ]);
}

describe('the tools of language models', () => {
  it('say the longest note, and take dollars as decimal text', () => {
    const fields = modelTools(ROUTES_OF_TOOLS).map(({ name, parameters }) => [name, parameters.properties] as const);
    const { propose_policy_change: proposal, withdraw_prediction_balance: withdrawal } = Object.fromEntries(fields);
    expect(proposal!['note']!['description']).toBe('Why, for the owner to read. At most 256 characters.');
    expect(withdrawal!['amountDollars']!['type']).toBe('string');
  });

  it('are the routes of agents that say so, and every action is one', () => {
    const moving = modelTools(ROUTES_OF_TOOLS).filter(({ movesMoney }) => movesMoney);
    const paths = Object.values(ACTIONS).map(({ route }) => route.path);
    expect(moving.map(({ path }) => path).sort()).toEqual(paths.sort());
  });

  it('need no token of a login', () => {
    expect(ROUTES_OF_TOOLS.filter((route) => scopeOf(route) === 'session')).toEqual([]);
  });

  it.each(ROUTES_OF_TOOLS.map((route) => [route.id, route] as const))(
    '%s takes the fields of openapi.json',
    (_, route) => {
      const { parameters, exact } = modelTool(route);
      const documented = documentedFields(route.method, route.path);
      const twins = exact.map((name) => `${name}Raw`);
      const expected = [...documented.keys()].filter((name) => !twins.includes(name));
      expect(Object.keys(parameters.properties).sort()).toEqual(expected.sort());
      for (const [name, { type, enum: values, minimum, maximum }] of Object.entries(parameters.properties)) {
        const field = documented.get(name)!;
        const shown = exact.includes(name) ? { type: 'string' } : { type: field['type'], values: field['enum'] };
        expect({ name, type, values }).toEqual({ name, ...shown });
        if (!exact.includes(name)) expect([minimum, maximum]).toEqual([field['minimum'], field['maximum']]);
      }
      expect(JSON.stringify(parameters)).not.toContain('$ref');
    },
  );
});
