import { AppError } from '@agent-wallet/kernel';
import type { RouteContract } from '../contract/route.js';
import { ROUTES } from '../contract/routes.js';
import { type DocsPage, loadDocsPage } from './docs-page.js';
import { openApiDocument } from './open-api.js';
import { type DocumentFacts, skillDocument } from './skill.js';

/** The documents, made from the one list of routes. Each is made at its first request and cached. */
export class Documents {
  readonly #made = new Map<string, string>();
  #page: Promise<DocsPage> | undefined;
  #publicUrl: string | undefined;

  /** @param facts without a `publicUrl`, there are no documents until `servedAt` */
  constructor(private readonly facts: Omit<DocumentFacts, 'publicUrl'> & { readonly publicUrl?: string | undefined }) {
    this.#publicUrl = facts.publicUrl;
  }

  /** Where the gateway listens: the base of the addresses when its settings name none. */
  servedAt(url: string): void {
    this.#publicUrl ??= url;
  }

  /** @throws AppError SERVICE_UNAVAILABLE, as all of them */
  skill(): string {
    return this.#once('skill', (publicUrl) => skillDocument(ROUTES, { ...this.facts, publicUrl }));
  }

  llms(): string {
    return this.#once('llms', (publicUrl) => llmsDocument(ROUTES, publicUrl));
  }

  openApi(): string {
    return this.#once('openApi', (publicUrl) => JSON.stringify(openApiDocument(ROUTES, publicUrl)));
  }

  docs(): Promise<DocsPage> {
    this.#page ??= loadDocsPage().catch((error: unknown) => {
      this.#page = undefined;
      throw error;
    });
    return this.#page;
  }

  #once(name: string, make: (publicUrl: string) => string): string {
    if (this.#publicUrl === undefined) throw new AppError('SERVICE_UNAVAILABLE');
    const made = this.#made.get(name) ?? make(this.#publicUrl);
    this.#made.set(name, made);
    return made;
  }
}

/** llms.txt: what this is, where the documents are, and what there is to call. */
function llmsDocument(routes: readonly RouteContract[], publicUrl: string): string {
  const areas = [...new Set(routes.map((contract) => contract.area))];
  const sections = areas.map((area) => {
    const lines = routes
      .filter((contract) => contract.area === area)
      .map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`);
    return `## ${area}\n\n${lines.join('\n')}\n`;
  });
  return `# Agent Wallet

> A wallet on Solana for autonomous agents: log in by e-mail code, hold, send and trade tokens,
> and buy and sell contracts of prediction markets, under a policy.

- [Skill](${publicUrl}/skill.md): everything an agent needs, with examples
- [OpenAPI](${publicUrl}/openapi.json): the same, for machines
- [Docs](${publicUrl}/docs): the same, for people, to try it in a browser

${sections.join('\n')}`;
}
