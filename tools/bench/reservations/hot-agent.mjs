// One agent that asks for everything at once.
import { newId } from '@agent-wallet/kernel';
import { figure } from '../measure/figure.mjs';
import { closedLoop, perSecond } from '../measure/load.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { PolicyProcess, VALUE_USD_MICROS } from './authorize.mjs';
import { addAgents, CONNECTIONS, reservedBy } from './policy-database.mjs';

const HUGE_USD_MICROS = 10n ** 15n;
const CAP_COUNT = 500;

/** Its reservations a second against updates of one bare row, by as many callers over as many connections. */
export async function measureHotAgent({ database, pairs, roundMs, checks }) {
  const [one, apart] = [newId(), newId()];
  await addAgents(database, [one, apart], HUGE_USD_MICROS);
  const rate = (call) => closedLoop({ callers: CONNECTIONS, durationMs: roundMs, call }).then(perSecond);
  const update = { name: 'bare-update', text: 'update bare_counter set n = n + 1 where id = 1' };
  const limit = () => rate(() => database.pool.query(update));

  const policy = new PolicyProcess(database);
  const together = await inPairs({ pairs, limit, product: () => rate(() => policy.authorize(one)) });
  const replicas = Array.from({ length: CONNECTIONS }, () => new PolicyProcess(database));
  let turn = 0;
  const next = () => replicas[(turn += 1) % CONNECTIONS];
  const single = await inPairs({ pairs, limit, product: () => rate(() => next().authorize(apart)) });

  await expectReserved({ database, checks, agentId: one, processes: [policy] });
  await expectReserved({ database, checks, agentId: apart, processes: replicas });
  await expectCapHolds({ database, checks });
  const unit = 'a second';
  return [
    figure('one hot agent against a bare one-row UPDATE', together, { unit, aim: { atLeast: 0.5 } }),
    figure('the same over 32 policy processes', single, { unit }),
  ];
}

/** The sum that limits are checked against, the rows, and the answers agree. */
async function expectReserved({ database, checks, agentId, processes }) {
  const count = processes.reduce((sum, { granted }) => sum + (granted.get(agentId) ?? 0), 0);
  const found = await reservedBy(database, agentId);
  const label = processes.length === 1 ? 'a hot agent' : 'a hot agent over many processes';
  checks.equal(`${label}: every reservation is a row`, found.count, count);
  checks.equal(`${label}: the running sum is that of its rows`, found.sum, BigInt(count) * VALUE_USD_MICROS);
}

/** Twice as many ask as fit. */
async function expectCapHolds({ database, checks }) {
  const agentId = newId();
  await addAgents(database, [agentId], BigInt(CAP_COUNT) * VALUE_USD_MICROS);
  const processes = [new PolicyProcess(database), new PolicyProcess(database)];
  await Promise.all(Array.from({ length: 2 * CAP_COUNT }, (_, i) => processes[i % 2].authorize(agentId)));
  const granted = processes.reduce((sum, process) => sum + (process.granted.get(agentId) ?? 0), 0);
  checks.equal(`of ${2 * CAP_COUNT} requests as many pass as fit`, granted, CAP_COUNT);
}
