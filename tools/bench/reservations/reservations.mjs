// Benchmark: the policy's reservations.
import { Checks } from '../measure/checks.mjs';
import { measureFullWindow } from './full-window.mjs';
import { measureHotAgent } from './hot-agent.mjs';
import { measureManyAgents } from './many-agents.mjs';
import { CONNECTIONS, openPolicyDatabase } from './policy-database.mjs';

const ROUND_MS = 3_000;
const QUICK_ROUND_MS = 700;

/** Each against bare statements of the same Postgres, through the same driver. */
export async function measureReservations({ pairs, isQuick }) {
  const database = await openPolicyDatabase();
  const checks = new Checks();
  const ground = { database, pairs, checks, roundMs: isQuick ? QUICK_ROUND_MS : ROUND_MS };
  const figures = [];
  for (const measure of [measureHotAgent, measureManyAgents, measureFullWindow])
    figures.push(...(await measure(ground)));
  const notes = `${CONNECTIONS} callers over ${CONNECTIONS} connections, ${pairs} pairs, policy's own ledger`;
  return { name: 'reservations', notes, figures, tables: [], checks: checks.all };
}
