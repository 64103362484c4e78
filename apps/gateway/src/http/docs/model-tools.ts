import type { Json } from './named-schemas.js';

/**
 * The operations that become tools of language models, by their names in openapi.json. The list leaves out on purpose
 * what a model has no use for, such as sessions, and its own limits beyond a proposal to the owner.
 */
const OPERATIONS = [
  ...['getWallet', 'getBalances', 'getToken', 'listTransactions', 'getTransaction'],
  ...['getPolicy', 'getPolicyUsage', 'listApprovals', 'proposePolicyChange'],
  ...['transfer', 'trade', 'unwrapSol'],
  ...['getLiquidityPools', 'getLiquidityPool', 'getLiquidityPositions', 'addLiquidity', 'removeLiquidity'],
  ...['listEvents', 'listMarkets', 'getMarket', 'getOrderbook', 'buyContracts', 'sellContracts'],
  ...['listPositions', 'listOrders', 'getPredictionBalance', 'withdrawPredictionBalance'],
];

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

/** A JSON Schema, or another part of the document that may be a reference. */
type Part = Json & { readonly $ref?: string };

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Part[];
  readonly requestBody?: Part;
}

/** A parameter of an operation: of the path, the query or a header. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Part;
}

/** Keywords that a model does not need, and that some providers refuse. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['pattern', 'minLength', 'maxLength', 'uniqueItems', 'examples', 'title', 'id'],
]);
/** The operations that mean all there is when they name no amount. */
const MAY_OMIT_AMOUNT: ReadonlySet<string> = new Set(['unwrapSol']);
const DRY_RUN = {
  type: 'boolean',
  description: 'Only show what would happen, and what the policy says: nothing moves.',
};
/** Some providers refuse longer descriptions. */
const LONGEST_DESCRIPTION = 700;
/** Form of an amount with a counterpart in base units: as text, because a program may blur a number. */
const DECIMAL_TEXT = { type: 'string', pattern: String.raw`^(0|[1-9]\d*)(\.\d+)?$` };

/** Returns the tools of an OpenAPI document. @throws Error when an operation is missing */
export function modelTools(document: Json): readonly ModelTool[] {
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  const byName = new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [operation.operationId, { path, method, operation }] as const),
    ),
  );
  return OPERATIONS.map((name) => {
    const found = byName.get(name);
    if (!found) throw new Error(`The document has no operation ${name}, which is a tool.`);
    return toolOf(document, found);
  });
}

function toolOf(
  document: Json,
  { path, method, operation }: { readonly path: string; readonly method: string; readonly operation: Operation },
): ModelTool {
  const name = operation.operationId;
  const parameters = (operation.parameters ?? [])
    .map((parameter) => resolved(document, parameter) as unknown as Parameter)
    .filter((parameter) => parameter.in !== 'header');
  const names = (place: string) => parameters.filter((each) => each.in === place).map((each) => each.name);
  const body = bodyOf(document, operation);
  const { properties, exact } = exactly((body?.['properties'] ?? {}) as Record<string, Part>);
  const described = parameters.map(({ name: field, description, schema }) => [
    field,
    field === 'dryRun' ? DRY_RUN : simple(document, { description, ...resolved(document, schema) }),
  ]);
  const amount = 'amount' in properties && !MAY_OMIT_AMOUNT.has(name) ? ['amount'] : [];
  return {
    name: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: descriptionOf(operation),
    movesMoney: operation.parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')) ?? false,
    method: method.toUpperCase() as ModelTool['method'],
    path,
    query: names('query'),
    exact,
    parameters: {
      type: 'object',
      properties: {
        ...(simple(document, { properties })['properties'] as Record<string, Json>),
        ...(Object.fromEntries(described) as Record<string, Json>),
      },
      required: [
        ...((body?.['required'] ?? []) as string[]),
        ...amount,
        ...parameters.filter((each) => each.in === 'path' || each.required === true).map((each) => each.name),
      ],
      additionalProperties: false,
    },
  };
}

function bodyOf(document: Json, { requestBody }: Operation): Json | undefined {
  if (!requestBody) return undefined;
  const { content } = resolved(document, requestBody) as { content: Record<string, { schema: Part }> };
  return resolved(document, content['application/json']!.schema);
}

/** Replaces amounts by decimal text, and leaves out their other forms: one way to say it is enough. */
function exactly(properties: Readonly<Record<string, Part>>) {
  const exact = Object.keys(properties).filter((name) => `${name}Raw` in properties);
  const kept = Object.entries(properties).filter(([name]) => !exact.some((amount) => name === `${amount}Raw`));
  const fields = kept.map(([name, schema]): [string, Part] => [
    name,
    exact.includes(name) ? { ...DECIMAL_TEXT, description: `${String(schema['description'])} Decimal text.` } : schema,
  ]);
  return { properties: Object.fromEntries(fields), exact };
}

/** Returns the summary, and as many sentences of the description as there is room for. */
function descriptionOf({ summary, description = '' }: Operation): string {
  const sentences = description
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?]) (?=[A-Z`])/)
    .filter((sentence) => sentence !== `${summary}.`);
  return sentences.reduce(
    (text, sentence) => (text.length + sentence.length < LONGEST_DESCRIPTION ? `${text} ${sentence}`.trim() : text),
    `${summary}.`,
  );
}

/** Returns a schema with its references followed and without the keywords that are left out. */
function simple(document: Json, schema: Part): Json {
  const plain = resolved(document, schema);
  const entries = Object.entries(plain).filter(([name]) => !LEFT_OUT.has(name) && !name.startsWith('x-'));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (name === 'properties') {
        const fields = Object.entries(value as Record<string, Part>);
        return [
          name,
          Object.fromEntries(fields.map(([field, part]) => [field, exactOr(part) ?? simple(document, part)])),
        ];
      }
      if (name === 'items') return [name, simple(document, value as Part)];
      if (['anyOf', 'oneOf', 'allOf'].includes(name))
        return [name, (value as Part[]).map((part) => simple(document, part))];
      return [name, value];
    }),
  );
}

/** Returns decimal text as it is, and undefined for all else: its pattern is what makes it exact. */
function exactOr(schema: Part): Part | undefined {
  return schema['pattern'] === DECIMAL_TEXT.pattern ? schema : undefined;
}

function resolved(document: Json, schema: Part): Json {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  const target = $ref
    .split('/')
    .slice(1)
    .reduce((part, name) => part[name] as Json, document);
  return { ...resolved(document, target), ...beside };
}
