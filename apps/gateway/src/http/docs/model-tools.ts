import type { RouteContract } from '../../api/route.js';
import { inlineInputFields, type Json } from './named-schemas.js';

/** A tool, and the request that it makes. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** Whether a call may move money. */
  readonly movesMoney: boolean;
  readonly method: 'GET' | 'POST';
  /** Path of the route, with its parameters in braces. */
  readonly path: string;
  /** Fields of the input that go into the query. */
  readonly query: readonly string[];
  /** Fields that are amounts: decimal text here, a JSON number in the request. */
  readonly exact: readonly string[];
  /** JSON Schema of the input. */
  readonly parameters: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, Json>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
}

/** Keywords that a model does not need, and that some providers refuse. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['pattern', 'minLength', 'maxLength', 'uniqueItems', 'examples', 'title', 'id'],
]);
const DRY_RUN = {
  type: 'boolean',
  description: 'Only show what would happen, and what the policy says: nothing moves.',
};
/** Some providers refuse longer descriptions. */
const LONGEST_DESCRIPTION = 700;
/** Form of an amount with a counterpart in base units: as text, because a program may blur a number. */
const DECIMAL_TEXT = { type: 'string', pattern: String.raw`^(0|[1-9]\d*)(\.\d+)?$` };

/** Returns the tools of language models among routes. */
export function modelTools(routes: readonly RouteContract[]): readonly ModelTool[] {
  return routes.filter(({ tool }) => tool).map(modelTool);
}

/** Returns a route as a tool. */
export function modelTool({ id, method, path, ...contract }: RouteContract): ModelTool {
  const params = fieldsOf(contract.params);
  const query = fieldsOf(contract.query);
  const body = fieldsOf(contract.body);
  const { properties, exact } = exactly(body.properties);
  // A body that may be left out means all there is when it names no amount.
  const amount = 'amount' in properties && !contract.bodyOptional ? ['amount'] : [];
  return {
    name: id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: descriptionOf(contract),
    movesMoney: contract.idempotent ?? false,
    method: method as ModelTool['method'],
    path,
    query: Object.keys(query.properties),
    exact,
    parameters: {
      type: 'object',
      properties: {
        ...simpleFields({ ...properties, ...params.properties, ...query.properties }),
        ...('dryRun' in query.properties ? { dryRun: DRY_RUN } : {}),
      },
      required: [...body.required, ...amount, ...Object.keys(params.properties), ...query.required],
      additionalProperties: false,
    },
  };
}

const fieldsOf = (schema: RouteContract['body']) =>
  schema ? inlineInputFields(schema) : { properties: {}, required: [] };

/** Replaces amounts of tokens and dollars by decimal text, and leaves out their other forms: one way to say it is enough. */
function exactly(properties: Readonly<Record<string, Json>>) {
  const isExact = (name: string) => `${name}Raw` in properties || properties[name]!['x-unit'] === 'DollarAmount';
  const exact = Object.keys(properties).filter(isExact);
  const kept = Object.entries(properties).filter(([name]) => !exact.some((amount) => name === `${amount}Raw`));
  const fields = kept.map(([name, schema]): [string, Json] => [
    name,
    exact.includes(name) ? { ...DECIMAL_TEXT, description: `${String(schema['description'])} Decimal text.` } : schema,
  ]);
  return { properties: Object.fromEntries(fields), exact };
}

/** Returns the summary, and as many sentences of the description as there is room for. */
function descriptionOf({ summary, notes = '' }: Pick<RouteContract, 'summary' | 'notes'>): string {
  const sentences = notes
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?]) (?=[A-Z`])/)
    .filter((sentence) => sentence !== `${summary}.`);
  return sentences.reduce(
    (text, sentence) => (text.length + sentence.length < LONGEST_DESCRIPTION ? `${text} ${sentence}`.trim() : text),
    `${summary}.`,
  );
}

/** Returns a schema without the keywords that are left out. */
function simple(schema: Json): Json {
  const entries = Object.entries(schema).filter(([name]) => !LEFT_OUT.has(name) && !name.startsWith('x-'));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (name === 'properties') return [name, simpleFields(value as Record<string, Json>)];
      if (name === 'items') return [name, simple(value as Json)];
      if (['anyOf', 'oneOf', 'allOf'].includes(name)) return [name, (value as Json[]).map(simple)];
      return [name, value];
    }),
  );
}

/** Least length of a free text: shorter ones are names and addresses. */
const LONG_TEXT = 100;

/** Says the longest form of a free text, whose keyword is left out, in its description. */
function saySize(schema: Json): Json {
  const { maxLength, description } = schema;
  if (typeof maxLength !== 'number' || maxLength < LONG_TEXT || typeof description !== 'string') return schema;
  if (description.includes(String(maxLength))) return schema;
  return { ...schema, description: `${description} At most ${maxLength} characters.` };
}

/** Returns fields without the keywords that are left out. Decimal text stays as it is: its pattern is what makes it exact. */
function simpleFields(fields: Readonly<Record<string, Json>>): Record<string, Json> {
  const isExact = (schema: Json) => schema['pattern'] === DECIMAL_TEXT.pattern;
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, isExact(schema) ? schema : simple(saySize(schema))]),
  );
}
