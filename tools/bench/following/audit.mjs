// What streams carried, compared with history's log.

/** Checks that each stream carried each change of its agents once, in the order of the log, and is open. */
export async function audit({ query, owners, followers, written }, checks) {
  const rows = await query(
    `select agent_id || ':' || agent_seq as id, agent_id from history.events
     where agent_id = any($1::uuid[]) order by position`,
    [owners.flatMap(({ agentIds }) => agentIds)],
  );
  const ownerOf = new Map(owners.flatMap((owner) => owner.agentIds.map((agentId) => [agentId, owner])));
  const logged = new Map(owners.map((owner) => [owner, []]));
  for (const { id, agent_id: agentId } of rows) logged.get(ownerOf.get(agentId)).push(id);
  const count = (isSo) => followers.filter(isSo).length;
  const lacks = ({ owner, received }) => logged.get(owner).filter((id) => !received.includes(id)).length;
  checks.equal('each change is in the log', rows.length, written);
  checks.equal(
    'no stream lost a change',
    count((each) => lacks(each) > 0),
    0,
  );
  checks.equal(
    'none got one twice',
    count(({ received }) => new Set(received).size < received.length),
    0,
  );
  checks.equal(
    'each had the order of the log',
    count((each) => `${each.received}` !== `${logged.get(each.owner)}`),
    0,
  );
  checks.equal(
    'none had to read all again',
    count(({ resets }) => resets > 0),
    0,
  );
  checks.equal(
    'all streams were back',
    count(({ isLive }) => isLive),
    followers.length,
  );
}
