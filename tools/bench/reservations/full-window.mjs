// An agent that has spent often within the last 24 hours.
import { newId } from '@agent-wallet/kernel';
import { figure } from '../measure/figure.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { cpuOfPart } from '../measure/part-cpu.mjs';
import { PolicyProcess } from './authorize.mjs';
import { addAgents } from './policy-database.mjs';

const ROWS = 10_000;
const TIMES = 10;
const HUGE_USD_MICROS = 10n ** 15n;

/** What one reservation costs with ten times as many settled rows in the window. */
export async function measureFullWindow({ database, pairs, roundMs, checks }) {
  const [few, many] = [newId(), newId()];
  await addAgents(database, [few, many], HUGE_USD_MICROS);
  await addSettledRows(database, few, ROWS);
  await addSettledRows(database, many, ROWS * TIMES);
  await database.pool.query('analyze reservations');
  const policy = new PolicyProcess(database);
  // One after the other, so that no batch hides what a statement costs; both ends count.
  const cost = (agentId) => cpuOfPart({ call: () => policy.authorize(agentId), isPeer: () => true }, roundMs);
  const measured = await inPairs({ pairs, limit: () => cost(few), product: () => cost(many) });
  checks.equal('full windows: no request is refused', policy.refused, 0);
  for (const agentId of [few, many]) await expectExactSum({ database, checks, agentId });
  const name = `${ROWS * TIMES} rows in the window against ${ROWS}`;
  return [figure(name, measured, { unit: 'µs of CPU', aim: { atMost: 1.1 } })];
}

/** Spread over the window, so that some leave it while we look. */
async function addSettledRows(database, agentId, count) {
  await database.pool.query(
    `insert into reservations
     select gen_random_uuid(), 1, 1, $1, '', sha256(''), 7, 'settled', policy.now(),
       policy.now() - n * interval '24 hours' / $2::int, null, null, policy.now()
     from generate_series(1, $2::int) n`,
    [agentId, count],
  );
  await database.pool.query(
    `update policies set settled_usd_micros = $2::bigint * 7, settled_since = policy.now() - interval '25 hours'
     where agent_id = $1`,
    [agentId, count],
  );
}

/** The running sum of what was settled is that of the rows after the moment it is kept for. */
async function expectExactSum({ database, checks, agentId }) {
  const { rows } = await database.pool.query(
    `select settled_usd_micros as kept, settled_between(agent_id, settled_since, 'infinity') as counted
     from policies where agent_id = $1`,
    [agentId],
  );
  checks.equal('full windows: the settled sum is exact', rows[0].kept, rows[0].counted);
}
