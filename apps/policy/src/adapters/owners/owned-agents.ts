import type { Queryable } from '@agent-wallet/platform';
import type { Owned } from '../../domain/owners/owned.js';

/** Returns whether the agent is the owner's now. */
export async function isOwner(tx: Queryable, { agentId, ownerId }: Owned): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from agent_owners where agent_id = $1 and owner_id = $2 and role = 'owner' and removed_at is null`,
    [agentId, ownerId],
  );
  return rowCount === 1;
}

/** Returns the owners of an agent, the first first. */
export async function ownersOf(tx: Queryable, agentId: string | undefined): Promise<string[]> {
  const { rows } = await tx.query<{ owner_id: string }>(
    `select owner_id from agent_owners where agent_id = $1 and role = 'owner' and removed_at is null
     order by since, owner_id`,
    [agentId],
  );
  return rows.map(({ owner_id: ownerId }) => ownerId);
}

/** Names an owner who acts without a document of its own, for the audit log. */
export function noteOf(ownerId: string): { readonly operator: string; readonly reason: string } {
  return { operator: `owner ${ownerId}`, reason: 'by the owner of the agent' };
}
