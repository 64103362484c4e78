// What the product has written down, read in the database's own pod.
import { Checks } from '../measuring/checks.mjs';
import { networkFees, reservations } from '../soak/own-ledger.mjs';
import { NEVER } from '../soak/predictions/never.mjs';
import { quiet } from '../soak/quiet.mjs';
import { nameOf } from './services.mjs';
import { nothingIn } from './table.mjs';

/** Runs in the pod: one statement from standard input, its rows as JSON. */
const QUERY = `
import { readFileSync } from 'node:fs';
import pg from 'pg';
const password = readFileSync(process.env.PASSWORD_FILE, 'utf8').trim();
const client = new pg.Client({ host: '127.0.0.1', user: 'postgres', password, database: 'agent_wallet' });
await client.connect();
const { rows } = await client.query(readFileSync(0, 'utf8'));
await client.end();
console.log(JSON.stringify(rows));`;

const OPEN = `select id, state from (select id, state::text from wallet.operations union all
  select id, state::text from swap.operations union all select id, state::text from prediction.operations) o
  where state in ('pending', 'submitted')`;

/** Reads the product's database as its superuser. */
export function ledgerOf(cluster) {
  return async (text) => {
    const pod = (await cluster.pods('app.kubernetes.io/name=postgres')).find((each) => nameOf(each) === 'postgres');
    const command = ['node', '--input-type=module', '-e', QUERY];
    return JSON.parse(await cluster.exec({ pod: pod.metadata.name, command, input: text }));
  };
}

/** Waits until nothing is left to do, then adds the rows that the ledger gives. `fees` is what wallets have paid. */
export async function testLedger({ cluster, table, when, fees }) {
  const query = ledgerOf(cluster);
  await table.check(`${when}: nothing is left open: operations, reservations, events`, async () => {
    await quiet(query);
    const open = await query(OPEN);
    return nothingIn(
      open.map(({ id }) => id),
      `${(await query('select count(*)::int as n from policy.reservations'))[0].n} reservations, none open`,
    );
  });
  await table.check(`${when}: limits and ledger are consistent`, async () => {
    const checks = new Checks();
    await reservations({ query, checks });
    const wrong = checks.all.filter(({ ok }) => !ok).map(({ name, found }) => `${found} ${name}`);
    const rules = Object.entries(NEVER);
    for (const [name, text] of rules) {
      const rows = await query(text);
      if (rows.length > 0) wrong.push(`${rows.length} ${name}`);
    }
    return nothingIn(wrong, `${rules.length + checks.all.length} rules`);
  });
  if (fees)
    await table.check(`${when}: no agent's SOL is missing, but for network fees`, () => compareFees(query, fees));
}

async function compareFees(query, fees) {
  const [paid, wallets] = [await networkFees(query), await query('select agent_id, address from wallet.wallets')];
  const byAgent = new Map(paid.map(({ agent_id: id, lamports }) => [id, lamports]));
  const agentOf = new Map(wallets.map(({ agent_id: id, address }) => [address, id]));
  const wrong = fees.flatMap(({ address, lamports }) => {
    const known = byAgent.get(agentOf.get(address)) ?? '0';
    return known === lamports ? [] : [`${address} lacks ${lamports} lamports, fees were ${known}`];
  });
  return nothingIn(wrong, `${fees.length} wallets, to the lamport`);
}
