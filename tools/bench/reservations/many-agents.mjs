// A thousand agents that ask now and then.
import { newId } from '@agent-wallet/kernel';
import { figure } from '../measure/figure.mjs';
import { closedLoop, perSecond } from '../measure/load.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { sum } from '../measure/statistics.mjs';
import { newReservation, PolicyProcess, VALUE_USD_MICROS } from './authorize.mjs';
import { addAgents, CONNECTIONS } from './policy-database.mjs';

const AGENTS = 1_000;
const HUGE_USD_MICROS = 10n ** 15n;

/** Their reservations a second against single-row inserts of the same data. */
export async function measureManyAgents({ database, pairs, roundMs, checks }) {
  const agents = Array.from({ length: AGENTS }, newId);
  await addAgents(database, agents, HUGE_USD_MICROS);
  const policy = new PolicyProcess(database);
  let turn = 0;
  // A step without a common divisor with their number visits all, in no order that storage knows.
  const next = () => agents[(turn = (turn + 617) % AGENTS)];
  const rate = (call) => closedLoop({ callers: CONNECTIONS, durationMs: roundMs, call }).then(perSecond);
  const measured = await inPairs({
    pairs,
    limit: () => rate(() => insert(database, next())),
    product: () => rate(() => policy.authorize(next())),
  });
  const { rows } = await database.pool.query(
    'select coalesce(sum(reserved_usd_micros), 0) as sum from policies where agent_id = any($1::uuid[])',
    [agents],
  );
  const granted = sum([...policy.granted.values()]);
  checks.equal('1 000 agents: no request is refused', policy.refused, 0);
  checks.equal(
    '1 000 agents: all that was granted is reserved',
    BigInt(rows[0].sum),
    BigInt(granted) * VALUE_USD_MICROS,
  );
  return [figure('1 000 agents against single inserts', measured, { unit: 'a second', aim: { atLeast: 0.4 } })];
}

function insert(database, agentId) {
  const { operationId, step, attempt, intent, messageHash, valueUsdMicros } = newReservation();
  return database.pool.query({
    name: 'bare-insert',
    text: `insert into bare_rows (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros)
           values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [operationId, step, attempt, agentId, Buffer.from(intent), messageHash, valueUsdMicros],
  });
}
