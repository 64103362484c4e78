// Whether history has what was committed: all of it, once, in order.
import { Checks } from '../../measuring/checks.mjs';

const BROKEN_LINKS = `select count(*)::int as n from (
  select agent_seq, previous_hash, hash,
    lag(hash) over (partition by agent_id order by agent_seq) as hash_before,
    lag(agent_seq) over (partition by agent_id order by agent_seq) as seq_before
  from history.events) as chained
where agent_seq <> coalesce(seq_before, 0) + 1
  or previous_hash <> coalesce(hash_before, decode(repeat('00', 32), 'hex'))`;

/** `committed`: `Map(agent → ids of its events in the order of their commits)`. */
export async function judge({ sql, committed }) {
  const checks = new Checks();
  const rows = await sql('select event_id, agent_id from history.events order by position');
  const found = groupByAgent(rows);
  const expectedCount = [...committed.values()].reduce((sum, { length }) => sum + length, 0);
  const recorded = new Set(rows.map((row) => row.event_id));
  checks.equal('events that were committed and are not recorded', countMissing(committed, recorded), 0);
  checks.equal('events that are recorded twice', rows.length - recorded.size, 0);
  checks.equal('events that are recorded and were never committed', recorded.size - expectedCount, 0);
  const disordered = [...committed].filter(([agent, ids]) => !isSame(ids, found.get(agent) ?? []));
  checks.equal('agents whose events are not in the order of their commits', disordered.length, 0);
  checks.equal('broken links in the hash chains', (await sql(BROKEN_LINKS))[0].n, 0);
  const [{ dead }] = await sql('select count(*)::int as dead from history.unprocessable_events');
  checks.equal('events that history could not read', dead, 0);
  return checks;
}

function groupByAgent(rows) {
  const groups = new Map();
  for (const row of rows) {
    const group = groups.get(row.agent_id) ?? [];
    groups.set(row.agent_id, group);
    group.push(row);
  }
  return groups;
}

function countMissing(committed, recorded) {
  return [...committed.values()].flat().filter((id) => !recorded.has(id)).length;
}

const isSame = (ids, rows) => ids.length === rows.length && ids.every((id, i) => id === rows[i].event_id);
