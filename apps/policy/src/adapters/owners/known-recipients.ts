import type { Queryable } from '@agent-wallet/platform';
import type { Policy } from '../../domain/policy.js';

/** Forgets recipients: they are as new, and no payment that was permitted before changes that. @returns how many were not */
export async function forgetRecipients(tx: Queryable, agentId: string, addresses: readonly string[]): Promise<number> {
  const { rows } = await tx.query<{ count: string }>('select forget_recipients($1, $2, policy.now()) as count', [
    agentId,
    addresses,
  ]);
  return Number(rows[0]!.count);
}

/** Forgets whom an owner has taken off the list. */
export async function forgetUnlisted(
  tx: Queryable,
  agentId: string,
  { before, after }: { readonly before: Policy; readonly after: Policy },
): Promise<void> {
  const removed = before.allowedRecipients.filter((address) => !after.allowedRecipients.includes(address));
  if (removed.length > 0) await forgetRecipients(tx, agentId, removed);
}
