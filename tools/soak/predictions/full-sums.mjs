// Whether everything adds up: the journal, its accounts, the chain, the exchange, and each agent's money.
import { predictionV1 } from '@agent-wallet/contracts';
import { loadTls, openRpcClient } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { NEVER } from './never.mjs';
import { hundredths, micros } from './published.mjs';

const RETRY_MS = 250;
const TIMEOUT_MS = 120_000;

/** Waits until every ended market is paid, then compares everything. @returns what differs, as texts */
export async function fullSums({ deployment, query, traders, floor, reconcile }) {
  await untilPaid(query, floor);
  return [...(await ledgerSums({ deployment, query, reconcile })), ...(await agents({ deployment, query, traders }))];
}

/** Compares the ledger with itself, the chain and the exchange, while nothing is under way. @returns what differs */
export async function ledgerSums({ deployment, query, reconcile }) {
  const wrong = [];
  for (const [name, text] of Object.entries(NEVER)) {
    const rows = await query(text);
    if (rows.length > 0) wrong.push(`${rows.length} ${name}, such as ${JSON.stringify(rows[0], plain)}`);
  }
  return [...wrong, ...(await outside({ deployment, query })), ...(await reconcile())];
}

/** What an operator gets to see, as text for everything that is not right. */
export async function openReconcile(deployment) {
  const { ops } = deployment.infrastructure.certificates;
  const ledger = openRpcClient({
    definition: predictionV1.LedgerServiceService,
    peer: { address: deployment.grpcAddressOf('prediction-0'), service: 'prediction' },
    tls: await loadTls(ops),
  });
  const ask = async () => {
    const found = await eventually(
      () => ledger.reconcile({}),
      ({ complete }) => complete,
      TIMEOUT_MS,
      RETRY_MS,
    );
    const off = found.comparisons.filter(({ ledgerAmount, externalAmount }) => ledgerAmount !== externalAmount);
    return [
      ...off.map(
        ({ subject, ledgerAmount, externalAmount }) =>
          `reconcile: ${subject} is ${ledgerAmount} in the ledger and ${externalAmount} outside`,
      ),
      ...(found.trialBalanceUsdMicros === 0n ? [] : [`reconcile: the sum is ${found.trialBalanceUsdMicros}`]),
      ...(found.openOperations === 0 ? [] : [`reconcile: ${found.openOperations} operations are open`]),
      ...(found.ordersHaltedReason === '' ? [] : [`reconcile: ${found.ordersHaltedReason}`]),
    ];
  };
  return { ask, ledger, close: () => ledger.close() };
}

/** What the operator brought is found by the service itself, and said to be the operator's. */
export async function attributeOperatorsMoney({ ledger }) {
  const note = { amountUsdMicros: 0n, operator: 'soak', reason: 'what the sandbox begins with' };
  for (const place of ['treasury', 'exchange']) {
    await eventually(
      () => ledger.attributeFunds({ location: place, ...note }),
      ({ amountUsdMicros }) => amountUsdMicros > 0n,
      TIMEOUT_MS,
      RETRY_MS,
    );
  }
}

async function untilPaid(query, floor) {
  const ended = [...floor.ended.keys()];
  const unpaid = `select distinct ticker from prediction.accounts where kind in ('outstanding', 'settling') and balance <> 0`;
  const open = async () => (await query(unpaid)).filter(({ ticker }) => ended.includes(ticker));
  await eventually(open, (rows) => rows.length === 0, TIMEOUT_MS, RETRY_MS);
}

/** The treasury against the chain; cash, positions and fills against the exchange. */
async function outside({ deployment, query }) {
  const wrong = [];
  const sums = new Map(
    (await query(`select kind, sum(balance)::text as sum from prediction.accounts group by kind`)).map(
      ({ kind, sum }) => [kind, BigInt(sum)],
    ),
  );
  const compare = (what, posted, actual) => {
    if (posted !== actual) wrong.push(`${what}: ${posted} in the ledger, ${actual} outside`);
  };
  const { sandbox, systemWallets } = deployment;
  compare('treasury', sums.get('treasury_usdc'), await sandbox.balanceRaw(systemWallets.treasury, 'USDC'));
  const account = await sandbox.exchangeAccount();
  compare('exchange cash', sums.get('exchange_cash'), micros(Number(account.balanceDollars)));
  const held = await query(`select ticker, sum(case side when 'yes' then balance else -balance end)::int as net
    from prediction.accounts where kind in ('position', 'position_locked') group by ticker`);
  const inLedger = new Map(held.map(({ ticker, net }) => [ticker, net]));
  const there = new Map(account.positions.map(({ ticker, position }) => [ticker, hundredths(Number(position))]));
  for (const ticker of new Set([...inLedger.keys(), ...there.keys()])) {
    compare(ticker, inLedger.get(ticker) ?? 0, there.get(ticker) ?? 0);
  }
  const posted = (await query('select fill_id from prediction.fills')).map(({ fill_id: id }) => id);
  compare(
    'fills',
    posted.toSorted().join(),
    account.fills
      .map(({ fillId }) => fillId)
      .toSorted()
      .join(),
  );
  return wrong;
}

/** What came into an agent's wallet went where the ledger says, and its orders match the responses that it got. */
async function agents({ deployment, query, traders }) {
  const rows = await query(`select w.address,
      coalesce((select sum(total_usd_micros + fee_usd_micros) from prediction.orders o
        where o.agent_id = w.agent_id and action = 'buy'), 0)::text as bought,
      coalesce((select sum(total_usd_micros - fee_usd_micros) from prediction.orders o
        where o.agent_id = w.agent_id and action = 'sell'), 0)::text as sold,
      coalesce((select sum(payout_usd_micros) from prediction.settled_positions s
        where s.agent_id = w.agent_id), 0)::text as paid,
      coalesce((select -sum(balance) from prediction.accounts a
        where a.agent_id = w.agent_id and kind in ('prediction_balance', 'withdraw_pending', 'escrow')), 0)::text as owed,
      (select settled_usd_micros from policy.policies p where p.agent_id = w.agent_id)::text as counted
    from wallet.wallets w`);
  const byAddress = new Map(rows.map((row) => [row.address, row]));
  const wrong = [];
  for (const { agent, totals } of traders) {
    const row = byAddress.get(agent.address);
    const [bought, sold, paid, owed, counted] = ['bought', 'sold', 'paid', 'owed', 'counted'].map((name) =>
      BigInt(row[name]),
    );
    const wallet = await deployment.sandbox.balanceRaw(agent.address, 'USDC');
    const left = totals.deposited - bought + sold + paid;
    if (wallet + owed !== left) wrong.push(`${agent.email} has ${wallet} and ${owed} of ${left}`);
    if (bought !== totals.bought)
      wrong.push(`${agent.email} got responses for purchases of ${totals.bought}, posted are ${bought}`);
    if (counted !== totals.counted) wrong.push(`${agent.email}'s limits count ${counted} instead of ${totals.counted}`);
    if (sold !== totals.sold)
      wrong.push(`${agent.email} got responses for sales of ${totals.sold}, posted are ${sold}`);
  }
  return wrong;
}

function plain(_, value) {
  return typeof value === 'bigint' ? value.toString() : value;
}
