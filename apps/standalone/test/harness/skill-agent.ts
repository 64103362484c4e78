import { callJson } from '../../src/index.js';
import { routesOf, shellBlocks, type SkillField, type SkillRoute } from './skill-document.js';

/** A response in the envelope that skill.md describes. */
export interface SkillResponse {
  readonly statusCode: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Values that an agent wants to send, by the names of the fields. */
export type Wishes = Readonly<Record<string, unknown>>;

/**
 * An agent that knows nothing but the structure of skill.md: headings of routes, their tables of fields and their marks,
 * and the commands of the quick start. No sentence of it is read, so that a better wording changes nothing.
 */
export class SkillAgent {
  readonly #routes: readonly SkillRoute[];
  readonly #commands: string;
  /** Values of earlier responses by the names of their fields. */
  readonly #known = new Map<string, unknown>();
  #keys = 0;

  constructor(private readonly document: string) {
    this.#routes = routesOf(document);
    this.#commands = shellBlocks(document).join('\n');
  }

  /**
   * Calls the route whose path ends so.
   * @throws Error when skill.md has none or several, or does not list a field
   */
  async does(ending: string, wishes: Wishes = {}, { isDryRun = false } = {}): Promise<SkillResponse> {
    const found = this.#routes.filter(({ path }) => path.endsWith(`/${ending}`));
    const [route] = found;
    if (!route || found.length > 1) throw new Error(`skill.md has ${found.length} routes that end in ${ending}`);
    const values = this.#valuesOf(route, wishes);
    const [query, body] = [true, false].map((isInQuery) =>
      Object.fromEntries(
        values.filter(([field]) => field.isInQuery === isInQuery).map(([{ name }, value]) => [name, value]),
      ),
    );
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(this.#value(name))));
    const search = new URLSearchParams(
      Object.entries(query!).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const switches = isDryRun ? `?${this.#find(/\?(\w+=true)' /)}` : '';
    const url = `${this.#find(/^API=(\S+)/m)}${path}${switches || (search.size > 0 ? `?${search}` : '')}`;
    const sent = route.method === 'GET' ? {} : { body };
    const response = await callJson<SkillResponse>(url, {
      method: route.method,
      headers: this.#headersOf(route),
      ...sent,
    });
    this.#remember(response.body.data);
    return response.body;
  }

  /** Gets test money as the commands do. */
  async pour(token: string, amount: number): Promise<void> {
    const [, path = '', fields = ''] = /"\$SANDBOX(\/\w+)".*? -d "(\{.*\})";/.exec(this.#commands) ?? [];
    const values: Record<string, unknown> = { $WALLET: this.#value('solanaAddress'), $1: token, $2: amount };
    const written = fields
      .replaceAll('\\"', '"')
      .replace(/"?(\$\w+)"?/g, (_, name: string) => JSON.stringify(values[name]));
    const body = JSON.parse(written) as object;
    const { status } = await callJson(`${this.#find(/^SANDBOX=(\S+)$/m)}${path}`, { body });
    if (status !== 200) throw new Error(`the sandbox did not pay: ${status}`);
  }

  /** Reads the login code: the first six digits of the newest mail, at the address that ends in `EMAIL`. */
  async readCode(email: string): Promise<string> {
    const [, url = ''] = /`GET (\S+=)EMAIL`/.exec(this.document) ?? [];
    const { body } = await callJson<object>(`${url}${encodeURIComponent(email)}`);
    const [newest] = (Object.values(body)[0] ?? []) as object[];
    const code = Object.values(newest ?? {})
      .map((text) => /\b\d{6}\b/.exec(String(text))?.[0])
      .find((digits) => digits !== undefined);
    if (code === undefined) throw new Error(`no mail has come for ${email}`);
    return code;
  }

  #headersOf({ marks }: SkillRoute): Record<string, string> {
    const headers: Record<string, string> = {};
    if (!marks.includes('public')) {
      const [, name = '', scheme = '', token = ''] =
        /^AUTH="([\w-]+): (\w+) .*\bfield (\w+)\)"$/m.exec(this.#commands) ?? [];
      headers[name] = `${scheme} ${String(this.#value(token))}`;
    }
    if (marks.includes('financial')) headers[this.#find(/-H "([\w-]+): \$2"/)] = `skill-${(this.#keys += 1)}`;
    return headers;
  }

  /** A value for each field that is wished for or required. */
  #valuesOf({ fields, path }: SkillRoute, wishes: Wishes): ReadonlyArray<readonly [SkillField, unknown]> {
    const unlisted = Object.keys(wishes).filter((name) => fields.every((field) => field.name !== name));
    if (unlisted.length > 0) throw new Error(`${path} lists no ${unlisted.join(', ')}`);
    return fields.flatMap((field) => {
      if (Object.hasOwn(wishes, field.name)) return [[field, wishes[field.name]] as const];
      if (!field.isRequired) return [];
      return [[field, this.#value(field.name)] as const];
    });
  }

  #value(name: string): unknown {
    if (!this.#known.has(name)) throw new Error(`no response had ${name}`);
    return this.#known.get(name);
  }

  #remember(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (typeof part === 'string') this.#known.set(name, part);
      this.#remember(part);
    }
  }

  #find(pattern: RegExp): string {
    const found = pattern.exec(this.#commands)?.[1];
    if (found === undefined) throw new Error(`the commands of skill.md have no ${pattern}`);
    return found;
  }
}
