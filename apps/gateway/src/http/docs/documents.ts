import { ROUTES } from '../contract/routes.js';
import type { DocsPage } from './docs-page.js';
import { llmsDocument } from './llms.js';
import { openApiDocument } from './open-api.js';
import { type DocumentFacts, skillDocument } from './skill.js';

/** The documents, as they are served. */
export interface Documents {
  readonly skill: string;
  readonly llms: string;
  readonly openApi: string;
  readonly docs: DocsPage;
}

/** Makes every document from the one list of routes. */
export function makeDocuments(facts: DocumentFacts, docs: DocsPage): Documents {
  return {
    skill: skillDocument(ROUTES, facts),
    openApi: JSON.stringify(openApiDocument(ROUTES, facts.publicUrl)),
    llms: llmsDocument(ROUTES, facts.publicUrl),
    docs,
  };
}
