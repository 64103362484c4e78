import { AppError, notFound } from '@agent-wallet/kernel';
import type { PlainResponse } from '../../api/response.js';
import { agentRoutes, ownerRoutes, ROUTES, routesWith } from '../../api/routes.js';
import { aboutService, type DocumentFacts } from './about.js';
import { compress, type CompressedDocument, type DocumentRequest, serveDocument } from './compressed-document.js';
import { loadDocsPage, scriptName } from './docs-page.js';
import { llmsDocument } from './llms.js';
import { openApiDocument } from './open-api.js';
import { skillDocument } from './skill.js';

type DocumentName = keyof ReturnType<typeof aboutService>['documents'];

/** A document, or the script of the reference page. */
type FileName = DocumentName | 'docsScript';

/** Headers of a file that is named by its hash. */
const FOREVER = { 'cache-control': 'public, max-age=31536000, immutable' };

/** The documents, made from the one list of routes. Each is made and compressed at its first request, and kept. */
export class Documents {
  readonly #kept = new Map<FileName, Promise<CompressedDocument>>();
  #publicUrl: string | undefined;

  /** @param facts without a `publicUrl`, there are no documents until `servedAt` */
  constructor(private readonly facts: Omit<DocumentFacts, 'publicUrl'> & { readonly publicUrl?: string | undefined }) {
    this.#publicUrl = facts.publicUrl?.replace(/\/+$/, '');
  }

  /** Sets the address at which the gateway listens: the base of the addresses when its settings name none. */
  servedAt(url: string): void {
    this.#publicUrl ??= url;
  }

  /** The base of the addresses; undefined before `servedAt`. */
  get publicUrl(): string | undefined {
    return this.#publicUrl;
  }

  /**
   * Returns the description of the service and the addresses of its documents.
   * @throws AppError SERVICE_UNAVAILABLE before `servedAt`
   */
  service() {
    return aboutService(this.#facts());
  }

  /** @throws AppError SERVICE_UNAVAILABLE before `servedAt` */
  read(name: FileName): Promise<CompressedDocument> {
    const kept = this.#kept.get(name);
    if (kept) return kept;
    const made = this.#make(name).catch((error: unknown) => {
      this.#kept.delete(name);
      throw error;
    });
    this.#kept.set(name, made);
    return made;
  }

  /** @throws AppError SERVICE_UNAVAILABLE before `servedAt` */
  async serve(name: DocumentName, headers: DocumentRequest): Promise<PlainResponse> {
    return serveDocument(await this.read(name), headers);
  }

  /**
   * Serves the script of the reference page.
   * @throws AppError NOT_FOUND for another name than that of its present file, SERVICE_UNAVAILABLE before `servedAt`
   */
  async serveDocsScript(name: string, headers: DocumentRequest): Promise<PlainResponse> {
    const script = await this.read('docsScript');
    if (name !== scriptName(script.hash)) throw notFound('script', 'Load /docs again.');
    return serveDocument(script, headers);
  }

  async #make(name: FileName): Promise<CompressedDocument> {
    const facts = this.#facts();
    const routes = routesWith(ROUTES, facts.parts);
    switch (name) {
      case 'skill':
        return compress(skillDocument(agentRoutes(routes), facts));
      case 'llms':
        return compress(llmsDocument(agentRoutes(routes), facts));
      case 'openapi':
        return compress(JSON.stringify(openApiDocument(agentRoutes(routes), facts)));
      case 'ownerOpenapi':
        return compress(JSON.stringify(openApiDocument(ownerRoutes(routes), facts)));
      case 'docs': {
        const { html, contentSecurityPolicy } = await loadDocsPage();
        return compress(html, { 'content-security-policy': contentSecurityPolicy });
      }
      case 'docsScript':
        return compress((await loadDocsPage()).script, FOREVER);
    }
  }

  #facts(): DocumentFacts {
    if (this.#publicUrl === undefined) throw new AppError('SERVICE_UNAVAILABLE');
    return { ...this.facts, publicUrl: this.#publicUrl };
  }
}
