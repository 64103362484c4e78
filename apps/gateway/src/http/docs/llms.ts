import type { RouteContract } from '../contract/route.js';

/** llms.txt: what this is, where the documents are, and what there is to call. */
export function llmsDocument(routes: readonly RouteContract[], publicUrl: string): string {
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
