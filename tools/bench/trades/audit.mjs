// Whether what was traded is what everybody was told.
import { auditLandings, eachOf, landingsOf } from '../transfers/audit.mjs';

/** What the chain says before anything was traded. */
export async function takeStock({ world, bare }) {
  return { landed: await landingsOf(world), usdc: await usdcOf({ world, bare }) };
}

/** Compares what was told with the chain and the history. */
export async function audit({ world, bare, traffic, ledgers, stock, checks }) {
  await auditLandings({ world, stock, traffic, ledgers, checks, action: 'trade' });
  const changes = (await usdcOf({ world, bare })).map((raw, i) => raw - stock.usdc[i]);
  const wrong = world.agents.filter(
    ({ address }, i) => !traffic.untold.has(address) && changes[i] !== (traffic.usdcOf.get(address) ?? 0n),
  );
  checks.equal('every wallet has the USDC that its agent was told', wrong.length, 0);
  checks.equal('errors of the bare client', bare.firstErrors.join(' | ') || 'none', 'none');
  checks.equal('the bare client has the USDC that it was told', changes.at(-1), bare.usdcRaw);
}

/** Base units of each agent, and of the bare client at the end. */
function usdcOf({ world: { agents, deployment }, bare }) {
  return eachOf([...agents, bare], ({ address }) => deployment.sandbox.balanceRaw(address, 'USDC'));
}
