import { useTitle } from '../parts/parts.js';
import { TEXTS } from '../texts.js';

export function AgentPage({ agentId }: { readonly agentId: string; readonly tab: string | undefined }) {
  useTitle(TEXTS.agents.unnamed);
  return <h1>{agentId}</h1>;
}
