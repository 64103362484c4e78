// What the product has written down of limits and fees, and whether that agrees with itself.

/** `{ agent_id, lamports }`: what each agent has paid the network for. `query` reads the database as its superuser. */
export function networkFees(query) {
  // The treasury pays for what it sends.
  return query(`select agent_id, sum(network_fee_lamports)::text as lamports from (
      select o.agent_id, a.network_fee_lamports from wallet.operations o join wallet.attempts a on a.operation_id = o.id
        where a.state in ('landed', 'failed') and coalesce(o.request->>'direction', '') <> 'payout'
      union all select o.agent_id, a.network_fee_lamports from swap.operations o
        join swap.attempts a on a.operation_id = o.id where a.state in ('landed', 'failed')) f group by 1`);
}

/** Nothing is held back, and what limits have counted is what was done. */
export async function reservations({ query, checks }) {
  const [{ open }] = await query(`select count(*)::int as open from policy.reservations where state = 'open'`);
  checks.equal('reservations still open', open, 0);
  const [{ off }] = await query(`select count(*)::int as off from policy.policies p where p.reserved_usd_micros <> 0
    or p.settled_usd_micros <> (select coalesce(sum(value_usd_micros), 0) from policy.reservations r
      where r.agent_id = p.agent_id and r.state = 'settled' and r.settled_at > p.settled_since)`);
  checks.equal('policies whose sums differ from their rows', off, 0);
  const [{ unlike }] = await query(`select count(*)::int as unlike from wallet.operations o
    join wallet.attempts a on a.operation_id = o.id
    left join policy.reservations r on r.operation_id = o.id and r.attempt = a.attempt and r.step = a.step
    where o.action <> 'move' and (o.state = 'confirmed') <> (coalesce(r.state::text, '') = 'settled')`);
  checks.equal('operations and reservations that contradict each other', unlike, 0);
}
