import type { Queryable } from '@agent-wallet/platform';

/** Forgets recipients: they are as new, and no payment that was permitted before changes that. @returns how many were not */
export async function forgetRecipients(tx: Queryable, agentId: string, addresses: readonly string[]): Promise<number> {
  const { rows } = await tx.query<{ count: string }>('select forget_recipients($1, $2, policy.now()) as count', [
    agentId,
    addresses,
  ]);
  return Number(rows[0]!.count);
}
