import { NIL_UUID } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import type { Freeze } from '../../ports/freeze-store.js';
import type { Owned } from '../../domain/owners/owned.js';
import type { AgentOverview, Recipient, SignedTrust } from '../../ports/owner-store.js';

const MAX_RECIPIENTS = 500;

interface RecipientJson {
  readonly address: string;
  readonly first_settled: string | null;
  readonly trusted: string | null;
  readonly trust: SignedTrust['trust'] | null;
  readonly signed: string | null;
  readonly mint: string | null;
  readonly amount: string | null;
}

/** An agent as the database writes it; times are seconds since 1970, as text. */
interface AgentJson {
  readonly role: string;
  readonly since: string;
  readonly freezes: ReadonlyArray<Pick<Freeze, 'operator' | 'reason' | 'source'> & { agent_id: string; since: string }>;
  readonly recipients: readonly RecipientJson[];
  readonly counted: ReadonlyArray<{ since: string; leaves: string; usd_micros: string }>;
  readonly owners: ReadonlyArray<{ owner_id: string; since: string }>;
}

/** Reads an agent of an owner in one statement; undefined when it is not the owner's. */
export async function readAgent(pool: Queryable, { agentId, ownerId }: Owned): Promise<AgentOverview | undefined> {
  const { rows } = await pool.query<AgentJson>(STATEMENT, [agentId, ownerId, NIL_UUID, MAX_RECIPIENTS]);
  const [found] = rows;
  if (!found) return undefined;
  return {
    agent: { agentId, role: found.role, sinceMs: millis(found.since) },
    freezes: found.freezes.map(({ agent_id, since, ...freeze }) => ({
      ...freeze,
      agentId: agent_id === NIL_UUID ? undefined : agent_id,
      sinceMs: millis(since),
    })),
    recipients: found.recipients.map(recipientOf),
    counted: found.counted.map(({ since, leaves, usd_micros }) => ({
      countedSinceMs: millis(since),
      leavesAtMs: millis(leaves),
      usdMicros: BigInt(usd_micros),
    })),
    owners: found.owners.map(({ owner_id: id, since }) => ({ ownerId: id, sinceMs: millis(since) })),
  };
}

function recipientOf({ address, first_settled, trusted, trust, signed, mint, amount }: RecipientJson): Recipient {
  return {
    address,
    firstSettledAtMs: first_settled === null ? undefined : millis(first_settled),
    trustedAtMs: trusted === null ? undefined : millis(trusted),
    signed:
      trust === null || signed === null
        ? undefined
        : { trust, atMs: millis(signed), daily: mint === null || amount === null ? undefined : { mint, amount } },
  };
}

/** Times leave as text of seconds: exact to the microsecond. */
const STATEMENT = `
  select o.role, extract(epoch from o.since)::text as since,
    coalesce((select json_agg(json_build_object('agent_id', f.agent_id, 'operator', f.operator, 'reason', f.reason,
        'source', f.source, 'since', extract(epoch from f.since)::text) order by f.since)
      from freezes f where f.agent_id in ($1, $3)), '[]') as freezes,
    coalesce((select json_agg(json_build_object('address', r.address,
        'first_settled', extract(epoch from r.first_settled_at)::text, 'trusted', extract(epoch from r.trusted_at)::text,
        'trust', r.trust, 'signed', extract(epoch from r.signed_at)::text, 'mint', r.trusted_mint,
        'amount', r.trusted_amount::text))
      from (
        select k.address, k.trusted_at, k.trust, k.signed_at, k.trusted_mint, k.trusted_amount, c.first_settled_at
        from recipients k join policies p on p.agent_id = k.agent_id, lateral (
          select case when k.first_settled_at > known_since(p) then k.first_settled_at end) as c (first_settled_at)
        where k.agent_id = $1 and coalesce(c.first_settled_at, k.trusted_at, k.signed_at) is not null
        order by greatest(c.first_settled_at, k.trusted_at, k.signed_at) desc, k.address limit $4) r), '[]') as recipients,
    coalesce((select json_agg(json_build_object('since', extract(epoch from w.since)::text,
        'leaves', extract(epoch from policy.leaves_window(w.latest))::text, 'usd_micros', w.usd_micros::text) order by w.since)
      from (
        select min(settled_at) as since, max(settled_at) as latest, sum(value_usd_micros) as usd_micros
        from reservations
        where agent_id = $1 and state = 'settled' and settled_at > policy.window_start(policy.now()) and value_usd_micros > 0
        group by date_bin('5 minutes', settled_at, timestamptz 'epoch')) w), '[]') as counted,
    (select json_agg(json_build_object('owner_id', m.owner_id, 'since', extract(epoch from m.since)::text)
        order by m.since, m.owner_id)
      from agent_owners m where m.agent_id = $1 and m.removed_at is null) as owners
  from agent_owners o where o.agent_id = $1 and o.owner_id = $2 and o.removed_at is null`;

const millis = (seconds: string): number => Math.floor(Number(seconds) * 1_000);
