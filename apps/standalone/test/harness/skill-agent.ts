import { callJson } from '../../src/index.js';
import { routesOf, sectionOf, type SkillField, type SkillRoute } from './skill-document.js';

/** A response in the envelope that skill.md describes. */
export interface SkillResponse {
  readonly statusCode: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What an agent wants to send: values for fields, by what skill.md says that they mean. */
export type Wishes = ReadonlyArray<readonly [meaning: RegExp, value: unknown]>;

/**
 * An agent that knows nothing but skill.md: it finds routes by what they do, fields by what they mean, and takes every
 * path, field name and header from the text.
 */
export class SkillAgent {
  readonly #routes: readonly SkillRoute[];
  /** Values of earlier responses by the names of their fields. */
  readonly #known = new Map<string, unknown>();
  #keys = 0;

  constructor(private readonly document: string) {
    this.#routes = routesOf(document);
  }

  /** Does what a summary of skill.md says. @throws Error when it does not say enough */
  async does(summary: RegExp, wishes: Wishes = [], { isDryRun = false } = {}): Promise<SkillResponse> {
    const route = this.#routes.find((each) => summary.test(each.summary));
    if (!route) throw new Error(`skill.md has no route that does ${summary}`);
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
    const switches = isDryRun ? `?${this.#find(/with dry run, also `\?(\w+=\w+)`/)}` : '';
    const url = `${this.#find(/^Base address: `([^`]+)`/m)}${path}${switches || (search.size > 0 ? `?${search}` : '')}`;
    const sent = route.method === 'GET' ? {} : { body };
    const response = await callJson<SkillResponse>(url, {
      method: route.method,
      headers: this.#headersOf(route),
      ...sent,
    });
    this.#remember(response.body.data);
    return response.body;
  }

  /** Gets test money as skill.md says: the names of the fields and the route are in its commands. */
  async pour(token: string, amount: number): Promise<void> {
    const section = sectionOf(this.document, 'Test money');
    const [, path = '', fields = ''] = /"\$SANDBOX(\/\w+)".*? -d "(\{.*\})";/.exec(section) ?? [];
    const values: Record<string, unknown> = { $WALLET: this.#value('solanaAddress'), $1: token, $2: amount };
    const written = fields
      .replaceAll('\\"', '"')
      .replace(/"?(\$\w+)"?/g, (_, name: string) => JSON.stringify(values[name]));
    const body = JSON.parse(written) as object;
    const { status } = await callJson(`${this.#sandbox(section)}${path}`, { body });
    if (status !== 200) throw new Error(`the sandbox did not pay: ${status}`);
  }

  /** Reads the login code in the sandbox's inbox, where skill.md says that it is. */
  async readCode(email: string): Promise<string> {
    const section = sectionOf(this.document, 'Test money');
    const [, path = '', list = ''] =
      /`GET \$SANDBOX(\/\S+=)EMAIL` lists mails in `(\w+)`, the newest first/.exec(section) ?? [];
    const [, field = ''] = /six digits in `(\w+)`/.exec(section) ?? [];
    const { body } = await callJson<Record<string, Array<Record<string, string>>>>(
      `${this.#sandbox(section)}${path}${encodeURIComponent(email)}`,
    );
    const code = /\d{6}/.exec(body[list]?.[0]?.[field] ?? '')?.[0];
    if (code === undefined) throw new Error(`no mail has come for ${email}`);
    return code;
  }

  #sandbox(section: string): string {
    return /^SANDBOX=(\S+)$/m.exec(section)?.[1] ?? '';
  }

  #headersOf({ marks }: SkillRoute): Record<string, string> {
    const headers: Record<string, string> = {};
    if (!marks.includes('public')) {
      const [, name = '', scheme = '', token = ''] =
        /Send `(\w+): (\w+) <(\w+)>`/.exec(sectionOf(this.document, 'Authentication')) ?? [];
      headers[name] = `${scheme} ${String(this.#value(token))}`;
    }
    if (marks.includes('financial')) {
      headers[this.#find(/Those marked financial take `([\w-]+)`/)] = `skill-${(this.#keys += 1)}`;
    }
    return headers;
  }

  /** A value for each field that is wished for or required. */
  #valuesOf({ fields, path }: SkillRoute, wishes: Wishes): ReadonlyArray<readonly [SkillField, unknown]> {
    return fields.flatMap((field) => {
      const wish = wishes.find(([meaning]) => meaning.test(`${field.name}: ${field.meaning}`));
      if (wish) return [[field, wish[1]] as const];
      if (!field.isRequired) return [];
      if (this.#known.has(field.name)) return [[field, this.#known.get(field.name)] as const];
      throw new Error(`nothing is known for ${field.name} of ${path}`);
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
    const found = pattern.exec(this.document)?.[1];
    if (found === undefined) throw new Error(`skill.md does not say ${pattern}`);
    return found;
  }
}
