import { grantResponse } from '../application/responses/token-response.js';
import type { ExactJson } from '../application/responses/exact-json.js';
import type { PolicyService } from '../ports/services.js';
import type { AgentCaller } from './route.js';

/** Returns the scoped token that asks, with what is used of it; null for the token of a login, without a call. */
export async function grantOf(
  { agentId, token }: Pick<AgentCaller, 'agentId' | 'token'>,
  policy: Pick<PolicyService, 'usage'>,
): Promise<ExactJson> {
  return token ? grantResponse(await policy.usage(agentId)) : null;
}
