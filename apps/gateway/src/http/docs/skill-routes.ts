import type { RouteContract } from '../../api/route.js';
import { AbridgedExamples, type Json, type JsonObject, sharedFields } from './abridged-examples.js';
import type { CommonErrors } from './common-errors.js';
import { type RequestField, requestFields } from './request-fields.js';

/** Returns every route: most with their fields, an example, and the codes that the common list lacks; others in one line. */
export function routeGuide(routes: readonly RouteContract[], errors: CommonErrors): string {
  const results = routes.flatMap(({ idempotent, example }) =>
    idempotent && example ? [example.response as JsonObject] : [],
  );
  const shared = sharedFields(results);
  const examples = new AbridgedExamples({ place: RESULT, fields: shared });
  const sameBody = repeatedBodies(routes);
  const areas = [...new Set(routes.map((contract) => contract.area))];
  const sections = areas.map((area) => {
    const own = routes.filter((contract) => contract.area === area);
    const isShort = (contract: RouteContract) => isOneLine(contract, sameBody.get(contract));
    const entries = own
      .filter((contract) => !isShort(contract))
      .map((each) => entry(each, { examples, errors, sameBody: sameBody.get(each) }));
    const lines = own.filter(isShort).map((each) => line(each, sameBody.get(each)));
    return [`### ${area}\n`, ...entries, ...lines, ''].join('\n');
  });
  return `## Routes

These are all routes; \`/openapi.json\` has their schemas.
Routes need the token unless marked public. Those marked financial take \`Idempotency-Key\`; with dry run, also \`?dryRun=true\`.
Fields: **required**, \`?query\`, others in the JSON body; \`{…}\` in a path is the id or ticker that a list names.
In examples \`…\` cuts a value, a list has one entry, empty fields and \`xRaw\` or \`xDollars\` beside \`x\` or \`xCents\` are left out, and
\`"…":"as in R"\` stands for the fields shown at R. ${RESULT[0]?.toUpperCase()}${RESULT.slice(1)} has ${namesOf(shared)}.

${sections.join('\n')}`;
}

/** Name of the fields that every financial result has. */
const RESULT = 'every result';

function namesOf(fields: object): string {
  return Object.keys(fields)
    .map((name) => `\`${name}\``)
    .join(', ');
}

/**
 * Reports whether a line is enough for a route: it has no example, and no field that must be sent but those of an earlier
 * route.
 */
function isOneLine(contract: RouteContract, sameBody: RouteContract | undefined): boolean {
  const isAnyRequired =
    !sameBody && requestFields(contract).some(({ isRequired, place }) => isRequired && place !== 'path');
  return (
    !isAnyRequired && (contract.plain !== undefined || contract.path === '/' || WITHOUT_EXAMPLE.test(contract.path))
  );
}

function line(contract: RouteContract, sameBody: RouteContract | undefined): string {
  const isOwn = ({ place }: RequestField) => place !== 'path' && !(sameBody && place === 'body');
  const fields = requestFields(contract).filter(isOwn).map(inline);
  const body = sameBody ? [`body of \`${sameBody.path}\``] : [];
  return `- \`${contract.method} ${contract.path}\`: ${[contract.summary, ...marksOf(contract), ...fields, ...body].join(' · ')}`;
}

interface Shared {
  readonly examples: AbridgedExamples;
  readonly errors: CommonErrors;
  /** An earlier route that takes the same body. */
  readonly sameBody: RouteContract | undefined;
}

/** Routes whose body is that of an earlier route, and that route. */
function repeatedBodies(routes: readonly RouteContract[]): ReadonlyMap<RouteContract, RouteContract> {
  const found = routes.flatMap((contract, n) => {
    const first = routes.find(({ body }) => body !== undefined && body === contract.body);
    return first && routes.indexOf(first) < n ? [[contract, first] as const] : [];
  });
  return new Map(found);
}

function entry(contract: RouteContract, { examples, errors, sameBody }: Shared): string {
  const { method, path, summary, example } = contract;
  const name = `${method} ${path}`;
  const own = errors.ownOf(contract);
  const fields = requestFields(contract);
  const listed = fields.filter(
    (field) => field.place !== 'path' && !isInline(field) && !(sameBody && field.place === 'body'),
  );
  const parts = [
    `#### ${name}\n`,
    `${[summary, ...marksOf(contract), ...fields.filter(isPaging).map(inline)].join(' · ')}\n`,
    ...fieldTable(listed),
    ...(sameBody ? [`Body: as \`${sameBody.method} ${sameBody.path}\`\n`] : []),
    ...(example?.request && !sameBody && !hasOneField(example.request)
      ? [`Body: \`${examples.request(example.request as Json)}\`\n`]
      : []),
    ...(example && !WITHOUT_EXAMPLE.test(path)
      ? [`Data: \`${examples.response(name, example.response as Json)}\`\n`]
      : []),
    ...(own.length > 0 ? [`Errors: ${own.join(', ')}\n`] : []),
  ];
  return parts.join('\n');
}

/** Reports whether a body has one field: its table shows it well enough. */
const hasOneField = (body: object) => Object.keys(body).length === 1;

/** Reads that few agents need, with responses that explain themselves: their examples are in openapi.json alone. */
const WITHOUT_EXAMPLE =
  /\/(?:categories|sports|series|events|milestones|structured-targets|orderbook|wallets\/me\/tokens|proof|attestation|approvals|proposals|sessions|usage|validate|refresh|logout|evict|cancel|remove|\{pool\})(?:\/|$)/;

const PAGING: ReadonlySet<string> = new Set(['limit', 'offset', 'cursor']);

/** Pattern of many values, of which the first few are shown. */
const MORE_VALUES = /^(?<first>\w+, \w+, \w+)(?:, \w+){3,}$/;

const isPaging = ({ name, place }: RequestField) => place === 'query' && PAGING.has(name);
const isInline = (field: RequestField) => isPaging(field) || field.name === 'dryRun';

/** Returns a field of the query with its bounds. The values of `cursor` are described once, elsewhere. */
function inline({ name, kind, default: given }: RequestField): string {
  if (name === 'cursor') return `\`?${name}\``;
  const bounds = kind.replace('integer ', '').replace(MORE_VALUES, '$<first>, …');
  return `\`?${name}\` ${given === undefined ? bounds : `${bounds}, default ${given}`}`;
}

function marksOf(contract: RouteContract): string[] {
  const hasDryRun = requestFields(contract).some(({ name }) => name === 'dryRun');
  return [
    ...(contract.auth === 'none' && contract.area !== 'Service' ? ['public'] : []),
    ...(contract.idempotent ? ['financial'] : []),
    ...(hasDryRun ? ['dry run'] : []),
  ];
}

function fieldTable(fields: readonly RequestField[]): string[] {
  const rows = fields.map(({ name, place, isRequired, kind, default: given, meaning }) => {
    const written = place === 'query' ? `?${name}` : name;
    const type = given === undefined ? kind : `${kind}, default ${given}`;
    return `|${isRequired ? `**${written}**` : written}|${type}|${meaning}|`;
  });
  return rows.length === 0 ? [] : [`|Field|Type|Meaning|\n|-|-|-|\n${rows.join('\n')}\n`];
}
