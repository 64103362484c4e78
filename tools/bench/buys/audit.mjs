// Whether what was bought is what everybody was told.
import { eachOf } from '../transfers/audit.mjs';

/** What the chain says before anything was bought. */
export function takeStock({ world }) {
  return usdcOf(world);
}

/** Compares what was told with chain, exchange, books and history. */
export async function audit({ world, bare, traffic, ledgers, stock, checks }) {
  const told = traffic.errors > 0 ? `${traffic.errors}, such as ${traffic.firstErrors.join(' | ')}` : 'none';
  checks.equal('errors answered', told, 'none');
  checks.equal('errors of the bare client', bare.firstErrors.join(' | ') || 'none', 'none');
  const left = await usdcOf(world);
  const wrong = world.agents.filter(
    ({ address }, i) => !traffic.untold.has(address) && stock[i] - left[i] !== (traffic.spentBy.get(address) ?? 0n),
  );
  checks.equal('every wallet has paid what its agent was told', wrong.length, 0);
  const { orders, fills } = await world.deployment.sandbox.exchangeAccount();
  checks.equal('one order for each purchase', orders.length, traffic.accepted);
  checks.equal('one fill for each order', fills.length, traffic.accepted);
  const bareAccount = await bare.world.sandbox.exchangeAccount();
  checks.equal('the bare client has bought as often as it says', bareAccount.fills.length, bare.accepted);
  checks.equal('history shows each as confirmed', await ledgers.confirmed('prediction_buy'), traffic.accepted);
  const stuck = `select coalesce(sum(abs(balance)), 0) from prediction.accounts where kind in ('escrow', 'withdraw_pending')`;
  checks.equal('nothing is left in escrow or on its way', await ledgers.number(stuck), 0);
}

function usdcOf({ agents, deployment: { sandbox } }) {
  return eachOf(agents, ({ address }) => sandbox.balanceRaw(address, 'USDC'));
}
