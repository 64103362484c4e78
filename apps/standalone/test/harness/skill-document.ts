/** A field that a route takes, as skill.md lists it. */
export interface SkillField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isInQuery: boolean;
  readonly type: string;
  readonly meaning: string;
}

/** One route as skill.md describes it. */
export interface SkillRoute {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Words after the summary: `public`, `financial`, `dry run`. */
  readonly marks: readonly string[];
  readonly fields: readonly SkillField[];
  /** The examples; undefined where there is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** The commands of a document, block by block. */
export function shellBlocks(document: string): string[] {
  return [...document.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands as string);
}

/** The part of a document below a heading. @throws Error when there is none */
export function sectionOf(document: string, heading: string): string {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`skill.md has no section ${heading}`);
  return section;
}

/** The routes that have a heading of their own, in the order of the document. */
export function routesOf(document: string): SkillRoute[] {
  return sectionOf(document, 'Routes')
    .split(/^#### /m)
    .slice(1)
    .map((text) => {
      const [heading = '', , line = ''] = text.split('\n');
      const [method = '', path = ''] = heading.split(' ');
      const [summary = '', ...marks] = line.split(' · ');
      const example = (title: string) => {
        const json = new RegExp(`^${title}: \`(.*)\`$`, 'm').exec(text)?.[1];
        return json === undefined ? undefined : (JSON.parse(json) as Record<string, unknown>);
      };
      return { method, path, summary, marks, fields: fieldsOf(text), body: example('Body'), data: example('Data') };
    });
}

function fieldsOf(text: string): SkillField[] {
  return [...text.matchAll(/^\|(\*\*)?(\??)(\w+)(?:\*\*)?\|([^|]*)\|([^|]*)\|$/gm)]
    .filter(([, , , name]) => name !== 'Field')
    .map(([, bold, query, name = '', type = '', meaning = '']) => {
      return { name, isRequired: bold !== undefined, isInQuery: query === '?', type, meaning };
    });
}

/** One operation as openapi.json describes it, with its examples in full. */
export interface DescribedOperation {
  /** `POST /wallets/me/actions/transfer` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly needsToken: boolean;
  readonly hasDryRun: boolean;
  /** The example's body. */
  readonly request: Readonly<Record<string, unknown>> | undefined;
  /** The example's `data`. */
  readonly response: Readonly<Record<string, unknown>> | undefined;
}

interface Parameter {
  readonly name?: string;
  readonly $ref?: string;
}

interface Operation {
  /** Absent: that of the whole document, which is the token's. */
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  /** By the status of a success: one of these. */
  readonly responses: { readonly 200?: { readonly content: Content }; readonly 202?: { readonly content: Content } };
}

type Content = Readonly<Record<string, { readonly example?: Readonly<Record<string, unknown>> }>>;

/** The operations of openapi.json, in its order. */
export function operationsOf(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}): DescribedOperation[] {
  const nameOf = ({ name, $ref }: Parameter) => name ?? document.components.parameters[$ref!.split('/').at(-1)!]?.name;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, { security, parameters = [], requestBody, responses }]) => {
      const method = verb.toUpperCase();
      return {
        name: `${method} ${path}`,
        method,
        path,
        needsToken: security === undefined || security.length > 0,
        hasDryRun: parameters.some((parameter) => nameOf(parameter) === 'dryRun'),
        request: requestBody?.content['application/json']?.example,
        response: exampleOf(responses[200] ?? responses[202])?.['data'] as DescribedOperation['response'],
      };
    }),
  );
}

function exampleOf(response: { readonly content: Content } | undefined) {
  return response?.content['application/json']?.example;
}

const FREE = /\.(metadata|details|sourceIds|filtersBySports|categories)$/;

function isFree(example: unknown, at: string): boolean {
  return FREE.test(at) && !Array.isArray(example);
}

/**
 * Where an answer differs in kind from its example: another field, another type. Null stands for any value; of a list,
 * one entry must be like the example's first. What the exchange or an action names itself is free.
 */
export function differences(example: unknown, actual: unknown, at = 'data'): string[] {
  if (example === null || actual === null || isFree(example, at)) return [];
  if (Array.isArray(example) && Array.isArray(actual)) {
    if (example.length === 0) return [];
    const found = actual.map((entry, n) => differences(example[0], entry, `${at}[${n}]`));
    return found.some((list) => list.length === 0) ? [] : [`${at} has no entry like the example`, ...found.flat()];
  }
  if (typeof example !== typeof actual) return [`${at} is ${typeof actual}`];
  if (typeof example !== 'object') return [];
  const names = new Set([...Object.keys(example), ...Object.keys(actual as object)]);
  return [...names].flatMap((name) => {
    const [a, b] = [example, actual as object].map((from) => Reflect.get(from, name) as unknown);
    if (a === undefined || b === undefined)
      return [`${at}.${name} is ${b === undefined ? 'missing' : 'not described'}`];
    return differences(a, b, `${at}.${name}`);
  });
}
