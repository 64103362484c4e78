/** One endpoint as skill.md describes it. */
export interface DescribedEndpoint {
  /** `POST /wallets/me/actions/transfer` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly needsToken: boolean;
  /** JSON of the example's body. */
  readonly request?: string | undefined;
  /** JSON of the example's `data`. */
  readonly response?: string | undefined;
  /** JSON of `data` of a dry run. */
  readonly dryRun?: string | undefined;
}

/** The commands of a document, block by block. */
export function shellBlocks(document: string): string[] {
  return [...document.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands as string);
}

/** The endpoints of a document, in its order. */
export function endpoints(document: string): DescribedEndpoint[] {
  return document
    .split(/^#### /m)
    .slice(1)
    .map((text) => {
      const name = text.slice(0, text.indexOf('\n'));
      const [method = '', path = ''] = name.split(' ');
      const example = (title: string) => new RegExp(`^${title}:\n\n\`\`\`json\n(.*?)\n\`\`\`$`, 'ms').exec(text)?.[1];
      return {
        name,
        method,
        path,
        needsToken: text.includes('Auth: *bearer*'),
        request: example('Request'),
        response: example('`data` of the response'),
        dryRun: example('`data` of a dry run'),
      };
    });
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
