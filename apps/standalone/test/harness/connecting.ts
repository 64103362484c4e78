import type { AgentClient } from '../../src/index.js';
import { OwnerConsole } from '../../src/testing/owner-console.js';
import type { Deployment } from './deployment.js';

/** An owner with an agent that has money. */
export interface Person {
  readonly agent: AgentClient;
  readonly owner: OwnerConsole;
  readonly agentId: string;
}

/** Makes an agent that an owner has claimed. */
export async function personOf(deployment: Deployment): Promise<Person> {
  const agent = await deployment.agent({ SOL: 1, USDC: 50 });
  const owner = await OwnerConsole.claiming(deployment, agent);
  const { agents } = (await owner.call('/agents')).body.data as unknown as { agents: Array<{ id: string }> };
  return { agent, owner, agentId: agents[0]!.id };
}

/**
 * Has an owner grant a token to an app, and returns the address that the browser goes to.
 * @param begun response of the authorization endpoint
 */
export async function grant({ owner, agentId }: Person, begun: Response, terms: object = {}): Promise<string> {
  const connectionId = owner.follow(begun);
  const asked = await owner.call(`/agents/${agentId}/tokens`, {
    name: 'A host',
    scopes: ['read', 'transfer'],
    ...terms,
  });
  const { id } = asked.body.data.approval;
  const { document } = (await owner.call(`/approvals/${id}`)).body.data;
  const assertion = owner.assertion(document);
  const signed = await owner.call(`/approvals/${id}/approve`, { assertion, connectionId });
  const { redirectTo, ...more } = signed.body.data as unknown as { redirectTo?: string; sessionToken?: string };
  if (redirectTo === undefined) throw new Error(`not granted: ${JSON.stringify(signed.body)}`);
  if (more.sessionToken !== undefined) throw new Error('the console got a secret');
  return redirectTo;
}
