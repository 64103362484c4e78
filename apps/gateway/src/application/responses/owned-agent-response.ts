import type { OwnedAgent } from '../owners/manage-owned-agent.js';
import { isoTime } from './exact-json.js';

/** Returns an agent as its owner sees it. */
export function ownedAgentResponse({ id, email, address, role, sinceMs }: OwnedAgent) {
  return { id, email: email ?? null, chainAddress: address ?? null, role, since: isoTime(sinceMs) };
}
