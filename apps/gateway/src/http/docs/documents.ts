import { ROUTES } from '../contract/routes.js';
import { openApiDocument } from './open-api.js';
import { type DocumentFacts, skillDocument } from './skill.js';

/** The documents, as they are served. */
export interface Documents {
  readonly skill: string;
  readonly llms: string;
  readonly openApi: string;
}

/** Makes every document from the one list of routes. */
export function makeDocuments(facts: DocumentFacts): Documents {
  return {
    skill: skillDocument(ROUTES, facts),
    openApi: JSON.stringify(openApiDocument(ROUTES, facts.publicUrl)),
    llms: `# Agent Wallet

> A wallet on Solana for autonomous agents: log in by e-mail code, hold and send tokens under a policy.

- [Skill](${facts.publicUrl}/skill.md): everything an agent needs, with examples
- [OpenAPI](${facts.publicUrl}/openapi.json): the same, for machines
`,
  };
}
