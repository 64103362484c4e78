// Makes the tools that a language model is given of the operations in the gateway's OpenAPI document. Both SDKs take them.

/**
 * The operations that become tools, by their names in the document. What is missing is missing on purpose: a model has no
 * use for sessions and documents, and no business with its own limits beyond a proposal to the owner.
 */
const OPERATIONS = [
  ...['getWallet', 'getBalances', 'getToken', 'listTransactions', 'getTransaction'],
  ...['getPolicy', 'getPolicyUsage', 'listApprovals', 'proposePolicyChange'],
  ...['transfer', 'trade', 'unwrapSol'],
  ...['getLiquidityPools', 'getLiquidityPool', 'getLiquidityPositions', 'addLiquidity', 'removeLiquidity'],
  ...['listEvents', 'listMarkets', 'getMarket', 'getOrderbook', 'buyContracts', 'sellContracts'],
  ...['listPositions', 'listOrders', 'getPredictionBalance', 'withdrawPredictionBalance'],
];

/** Keywords that a model does not need, and that some providers refuse. */
const LEFT_OUT = new Set(['pattern', 'minLength', 'maxLength', 'uniqueItems', 'examples', 'title', 'id']);
/** The operations that mean all there is when they name no amount. */
const MAY_OMIT_AMOUNT = new Set(['unwrapSol']);
const DRY_RUN = {
  type: 'boolean',
  description: 'Only show what would happen, and what the policy says: nothing moves.',
};
/** Some providers refuse longer descriptions. */
const LONGEST_DESCRIPTION = 700;
/** Form of an amount with a counterpart in base units: as text, because a program may blur a number. */
const DECIMAL_TEXT = { type: 'string', pattern: String.raw`^(0|[1-9]\d*)(\.\d+)?$` };

/**
 * Returns the tools of an OpenAPI document.
 * @throws Error when an operation is missing
 */
export function modelTools(document) {
  const byName = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [operation.operationId, { path, method, operation }]),
    ),
  );
  return OPERATIONS.map((name) => {
    const found = byName.get(name);
    if (!found) throw new Error(`The document has no operation ${name}, which is a tool.`);
    return toolOf(document, { name, ...found });
  });
}

function toolOf(document, { name, path, method, operation }) {
  const parameters = (operation.parameters ?? [])
    .map((parameter) => resolved(document, parameter))
    .filter((parameter) => parameter.in !== 'header');
  const names = (place) => parameters.filter((parameter) => parameter.in === place).map((parameter) => parameter.name);
  const body = bodyOf(document, operation);
  const { properties, exact } = exactly(body?.properties ?? {});
  const described = parameters.map(({ name: field, description, schema }) => [
    field,
    field === 'dryRun' ? DRY_RUN : simple(document, { description, ...resolved(document, schema) }),
  ]);
  const amount = 'amount' in properties && !MAY_OMIT_AMOUNT.has(name) ? ['amount'] : [];
  const isRequired = ({ in: place, required }) => place === 'path' || required === true;
  return {
    name: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: descriptionOf(operation),
    movesMoney: operation.parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')) ?? false,
    method: method.toUpperCase(),
    path,
    query: names('query'),
    exact,
    parameters: {
      type: 'object',
      properties: { ...simple(document, { properties }).properties, ...Object.fromEntries(described) },
      required: [
        ...(body?.required ?? []),
        ...amount,
        ...parameters.filter(isRequired).map((parameter) => parameter.name),
      ],
      additionalProperties: false,
    },
  };
}

function bodyOf(document, { requestBody }) {
  if (!requestBody) return undefined;
  const { content } = resolved(document, requestBody);
  return resolved(document, content['application/json'].schema);
}

/** Replaces amounts by decimal text, and leaves out their other forms: one way to say it is enough. */
function exactly(properties) {
  const exact = Object.keys(properties).filter((name) => `${name}Raw` in properties);
  const kept = Object.entries(properties).filter(([name]) => !exact.some((amount) => name === `${amount}Raw`));
  const fields = kept.map(([name, schema]) => [
    name,
    exact.includes(name) ? { ...DECIMAL_TEXT, description: `${schema.description} Decimal text.` } : schema,
  ]);
  return { properties: Object.fromEntries(fields), exact };
}

/** Returns the summary, and as many sentences of the description as there is room for. */
function descriptionOf({ summary, description = '' }) {
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
function simple(document, schema) {
  const plain = resolved(document, schema);
  const entries = Object.entries(plain).filter(([name]) => !LEFT_OUT.has(name) && !name.startsWith('x-'));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (name === 'properties') {
        const fields = Object.entries(value).map(([field, part]) => [field, exactOr(part) ?? simple(document, part)]);
        return [name, Object.fromEntries(fields)];
      }
      if (name === 'items') return [name, simple(document, value)];
      if (['anyOf', 'oneOf', 'allOf'].includes(name)) return [name, value.map((part) => simple(document, part))];
      return [name, value];
    }),
  );
}

/** Decimal text stays as it is: its pattern is what makes it exact. */
function exactOr(schema) {
  return schema.pattern === DECIMAL_TEXT.pattern ? schema : undefined;
}

function resolved(document, schema) {
  if (!schema.$ref) return schema;
  const { $ref, ...beside } = schema;
  const target = $ref
    .split('/')
    .slice(1)
    .reduce((part, name) => part[name], document);
  return { ...resolved(document, target), ...beside };
}
