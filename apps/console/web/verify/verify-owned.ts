import { type Api, dataOf } from '../api/client.js';
import type { ProofPage } from '@agent-wallet/audit';
import { type KeyMemory, type Report, verifyAgent } from './index.js';

const PAGE = 100;
const PINNED = 'checkpoint-key';

/** The key that signed the first checkpoint that this browser saw. */
const memory: KeyMemory = {
  read: () => localStorage.getItem(PINNED) ?? undefined,
  write: (keyId) => localStorage.setItem(PINNED, keyId),
};

/** Verifies an agent's chain, and the owner's own, which has the keys of the passkeys. @throws Failure */
export function verify(
  api: Api,
  { agentId, ownerId }: { readonly agentId: string; readonly ownerId: string },
  onEvents: (events: number) => void,
): Promise<Report> {
  const query = (after?: string) => ({ limit: PAGE, ...(after === undefined ? {} : { after }) });
  const ofAgent = (after?: string): Promise<ProofPage> =>
    dataOf(api.GET('/owner/agents/{agentId}/history/proof', { params: { path: { agentId }, query: query(after) } }));
  const ofOwner = (_: string, after?: string): Promise<ProofPage> =>
    dataOf(api.GET('/owner/history/proof', { params: { query: query(after) } }));
  return verifyAgent({
    agentId,
    origin: location.origin,
    readPage: ofAgent,
    readOwnerPage: ofOwner,
    // The chain of another owner is theirs to read: their signatures show as not verified.
    readableOwners: new Set([ownerId]),
    memory,
    onProgress: ({ subject, events }) => {
      if (subject === agentId) onEvents(events);
    },
  });
}
