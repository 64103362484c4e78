import type { RouteContract } from '../../api/route.js';
import { aboutService, type DocumentFacts, networkSentence } from './about.js';

/** Returns llms.txt: the service, its documents, and its routes. */
export function llmsDocument(
  routes: readonly RouteContract[],
  facts: Pick<DocumentFacts, 'publicUrl' | 'network'>,
): string {
  const { documents } = aboutService(facts);
  const areas = [...new Set(routes.map((contract) => contract.area))];
  const sections = areas.map((area) => {
    const lines = routes
      .filter((contract) => contract.area === area)
      .map(({ method, path, summary }) => `- ${method} ${path}: ${summary}`);
    return `## ${area}\n\n${lines.join('\n')}\n`;
  });
  return `# Agent Wallet

> A wallet on Solana for autonomous agents: hold, send and trade tokens, and trade prediction markets, under a policy.
> ${networkSentence(facts.network)}

- [Skill](${documents.skill}): all that an agent needs
- [OpenAPI](${documents.openapi}): for programs
- [Docs](${documents.docs}): to try it in a browser
- MCP: ${facts.publicUrl}/mcp

${sections.join('\n')}`;
}
