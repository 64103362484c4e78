import { ROUTES } from '../contract/routes.js';
import { type DocsPage, loadDocsPage } from './docs-page.js';
import { llmsDocument } from './llms.js';
import { openApiDocument } from './open-api.js';
import { type DocumentFacts, skillDocument } from './skill.js';

/** The documents, as they are served: each is made when somebody first asks for it, and kept. */
export interface Documents {
  skill(): string;
  llms(): string;
  openApi(): string;
  docs(): Promise<DocsPage>;
}

/** Makes every document from the one list of routes. */
export function makeDocuments(facts: DocumentFacts): Documents {
  let page: Promise<DocsPage> | undefined;
  const load = () =>
    loadDocsPage().catch((error: unknown) => {
      page = undefined;
      throw error;
    });
  return {
    skill: once(() => skillDocument(ROUTES, facts)),
    llms: once(() => llmsDocument(ROUTES, facts.publicUrl)),
    openApi: once(() => JSON.stringify(openApiDocument(ROUTES, facts.publicUrl))),
    docs: () => (page ??= load()),
  };
}

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
