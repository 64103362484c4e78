// Whether what was asked for is what happened.
import { eachOf } from '../world.mjs';

/** What chain and policy say before anything was sent. */
export async function takeStock(world) {
  return { received: await usdcBy(world, world.recipients), landed: await landingsOf(world) };
}

/** Base units of USDC of each address. */
export function usdcBy({ deployment: { sandbox } }, addresses) {
  return eachOf(addresses, (address) => sandbox.balanceRaw(address, 'USDC'));
}

/** Compares all that was sent with the chain, the policies and the history. */
export async function audit({ world, stock, traffic, ledgers, checks }) {
  const received = await usdcBy(world, world.recipients);
  const wrong = world.recipients.filter((to, i) => received[i] - stock.received[i] !== (traffic.sentTo.get(to) ?? 0n));
  checks.equal('every recipient has on chain what was sent to it', wrong.length, 0);
  await auditLandings({ world, stock, traffic, ledgers, checks, action: 'transfer' });
  const usages = await eachOf(world.agents, usageMicros);
  const off = world.agents.filter(({ address }, i) => usages[i] !== (traffic.sentBy.get(address) ?? 0n));
  checks.equal('every policy has counted what its agent sent', off.length, 0);
}

export const addressesOf = (wallets) => wallets.map(({ address }) => address);

/** How many transactions of each agent have landed, for `auditLandings`. */
export function landingsOf({ deployment: { sandbox }, agents }) {
  return eachOf(agents, async ({ address }) => (await sandbox.transactions(address)).length);
}

/** Compares what was answered with what landed and what history says, for any action. */
export async function auditLandings({ world, stock, traffic, ledgers, checks, action }) {
  const { sandbox } = world.deployment;
  checks.equal('errors answered', traffic.complaint, 'none');
  const landed = await eachOf(world.agents, ({ address }) => sandbox.transactions(address));
  const count = landed.reduce((sum, list, i) => sum + list.length - stock.landed[i], 0);
  checks.equal(`one transaction landed for each ${action}`, count, traffic.accepted);
  checks.equal('none of them failed', landed.flat().filter(({ err }) => err !== null).length, 0);
  checks.equal('history shows each as confirmed', await ledgers.confirmed(action), traffic.accepted);
}

/** What counts against the daily limit, in micro-dollars; open reservations would count twice on purpose. */
async function usageMicros(agent) {
  const { body } = await agent.usage();
  const { settledUsd, reservedUsd } = body.data;
  return BigInt(Math.round(settledUsd * 1e6)) + BigInt(Math.round(reservedUsd * 1e6)) * 2n;
}
