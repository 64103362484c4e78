// Owners with sessions and agents, written past logins and claims: each real one takes several e-mails.
import { newId } from '@agent-wallet/kernel';
import { createHash, randomBytes } from 'node:crypto';

/** Creates owners of so many agents each, and a session of each owner. */
export async function createOwners(query, { owners, agentsOfOwner }) {
  const created = Array.from({ length: owners }, (_, n) => ({
    id: newId(),
    token: randomBytes(32).toString('base64url'),
    address: `10.${n >> 8}.${n & 255}.1`,
    agentIds: Array.from({ length: agentsOfOwner }, newId),
  }));
  const ids = created.map(({ id }) => id);
  await query(
    `insert into gateway.owners (id, email, created_at)
     select id, id || '@owners.example', now() from unnest($1::uuid[]) id`,
    [ids],
  );
  await query(
    `insert into gateway.owner_sessions (token_hash, id, owner_id, authenticated_by, authenticated_at, used_at, network)
     select hash, gen_random_uuid(), id, 'mail', now(), now(), '10.0.0.0/24'
     from unnest($1::uuid[], $2::bytea[]) as owner (id, hash)`,
    [ids, created.map(({ token }) => createHash('sha256').update(token).digest())],
  );
  const owned = created.flatMap(({ id, agentIds }) => agentIds.map((agentId) => [agentId, id]));
  await query(
    `insert into policy.agent_owners (agent_id, owner_id, role, since)
     select agent_id, owner_id, 'owner', now() from unnest($1::uuid[], $2::uuid[]) as owned (agent_id, owner_id)`,
    [owned.map(([agentId]) => agentId), owned.map(([, id]) => id)],
  );
  await query('analyze');
  return created;
}
