import type { Part } from '@agent-wallet/kernel';
import type { RouteContract } from '../../api/route.js';
import { aboutService, type DocumentFacts, networkSentence } from './about.js';

/** Returns llms.txt: the service, its documents, and its routes. */
export function llmsDocument(
  routes: readonly RouteContract[],
  facts: Pick<DocumentFacts, 'publicUrl' | 'network' | 'parts'>,
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

> A wallet on Solana for autonomous agents: ${usesOf(facts.parts)}, under a policy.
> ${networkSentence(facts.network)}

- [Skill](${documents.skill}): the guide for agents, with every route
- [OpenAPI](${documents.openapi}): for programs
- [Docs](${documents.docs}): to try it in a browser
- MCP: ${facts.publicUrl}/mcp

${sections.join('\n')}`;
}

/** Says in a few words what a deployment with these parts is for. */
export function usesOf(parts: readonly Part[]): string {
  const has = (part: Part) => parts.includes(part);
  const tokens = has('trading') ? 'hold, send and trade tokens' : 'hold and send tokens';
  const more = [
    ...(has('liquidity') ? ['provide liquidity'] : []),
    ...(has('predictions') ? ['trade prediction markets'] : []),
  ];
  return more.length > 0 ? `${tokens}, ${more.join(' and ')}` : tokens;
}
