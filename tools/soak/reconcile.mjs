// Whether chain, operations, reservations and history agree, to the base unit.

import { networkFees, reservations } from './own-ledger.mjs';
import { ledgerSums } from './predictions/full-sums.mjs';

/**
 * Compares everything that is left at the end.
 * @param busy the agents
 * @param query reads the product's database as its superuser
 * @param operator asks as an operator does
 */
export async function reconcile({ deployment, busy, query, operator, checks }) {
  checks.equal('unexplained responses', some(busy.flatMap(({ surprises }) => surprises)), '');
  await operationsAgainstChain({ deployment, busy, query, checks });
  await balances({ deployment, busy, query, checks });
  await reservations({ query, checks });
  await history({ busy, query, checks });
  const wrong = await ledgerSums({ deployment, query, reconcile: operator.ask });
  checks.equal('ledger balances that differ from chain or exchange', some(wrong), '');
}

async function operationsAgainstChain({ deployment, busy, query, checks }) {
  const landed = new Map();
  for (const { agent } of busy) {
    for (const { signature, err } of await deployment.sandbox.transactions(agent.address)) {
      if (err === null) landed.set(signature, agent.address);
    }
  }
  const rows = await query(`select o.id, o.state, o.action, a.signature from wallet.operations o
    left join wallet.attempts a on a.operation_id = o.id`);
  const { signatureText } = await import('@agent-wallet/solana');
  const signatures = new Map(rows.flatMap((row) => (row.signature ? [[signatureText(row.signature), row]] : [])));
  const confirmed = [...signatures].filter(([, { state }]) => state === 'confirmed');
  checks.equal('confirmed operations that did not land', confirmed.filter(([s]) => !landed.has(s)).length, 0);
  const others = [...signatures].filter(([signature, { state }]) => state !== 'confirmed' && landed.has(signature));
  checks.equal('operations that landed and are not confirmed', some(others.map(([, { id }]) => id)), '');
  checks.equal('operations still open', rows.filter(({ state }) => ['pending', 'submitted'].includes(state)).length, 0);
  const state = new Map(rows.map((row) => [row.id, row.state]));
  const answered = busy.flatMap(({ transfers }) => transfers).filter(({ id }) => id);
  const wrong = answered.filter(({ id, status }) => (status === 'confirmed') !== (state.get(id) === 'confirmed'));
  checks.equal('responses that differ from their operation', some(wrong.map(({ id }) => id)), '');
}

/** What an agent holds is what it was given and got, less what it sent and what the network took. */
async function balances({ deployment, busy, query, checks }) {
  const fees = await networkFees(query);
  const agentIds = new Map(
    (await query('select agent_id, address from wallet.wallets')).map((r) => [r.address, r.agent_id]),
  );
  const feeOf = new Map(fees.map(({ agent_id: id, lamports }) => [id, BigInt(lamports)]));
  const confirmed = busy.flatMap(({ agent, transfers }) =>
    transfers.filter(({ status }) => status === 'confirmed').map((each) => ({ ...each, from: agent.address })),
  );
  const off = [];
  for (const { agent, start, deposits, traded, predicted, isRefundUnknown } of busy) {
    for (const token of ['SOL', 'USDC']) {
      const sum = (list) =>
        list.filter((each) => each.token === token).reduce((total, { raw }) => total + BigInt(raw), 0n);
      const got = sum(confirmed.filter(({ to }) => to === agent.address));
      const sent = sum(confirmed.filter(({ from }) => from === agent.address));
      const fee = token === 'SOL' ? (feeOf.get(agentIds.get(agent.address)) ?? 0n) : 0n;
      const orders = token === 'USDC' ? predicted.wallet : 0n;
      const expected = start[token] + sum(deposits) + got - sent - fee + traded[token] + orders;
      const found = await deployment.sandbox.balanceRaw(agent.address, token);
      // A refused purchase whose refund lies in the balance does not tell how much it was.
      if (found !== expected && !(token === 'USDC' && isRefundUnknown))
        off.push(`${agent.address} ${token}: ${found} instead of ${expected}`);
    }
  }
  checks.equal('balances that differ from the responses', some(off), '');
}

async function history({ busy, query, checks }) {
  const [{ unlike }] = await query(`select count(*)::int as unlike from wallet.operations o
    left join history.transactions t on t.id = o.id
    where o.revision > 0 and coalesce(t.status, '') <> (case o.state when 'rejected' then 'rejected_by_policy' else o.state end)`);
  checks.equal('operations that history contradicts', unlike, 0);
  const rows = await query(`select signature, amount::text as amount from history.transactions
    where action = 'deposit' and status = 'confirmed'`);
  const found = bySignature(rows);
  const wrong = busy
    .flatMap(({ deposits }) => deposits)
    .filter(({ signature, raw }) => {
      const records = found.get(signature) ?? [];
      return records.length !== 1 || BigInt(records[0].amount) !== raw;
    });
  checks.equal('deposits that history does not show exactly once', wrong.map(({ signature }) => signature).join(), '');
}

function bySignature(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.signature, [...(groups.get(row.signature) ?? []), row]);
  return groups;
}

/** How many there are, and the first of them. */
function some(list) {
  return list.length === 0 ? '' : `${list.length}: ${list.slice(0, 3).join(' | ')}`;
}
