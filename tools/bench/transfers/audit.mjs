// Whether what was asked for is what happened.

/** What chain and policy say before anything was sent. */
export async function takeStock(world) {
  const { sandbox } = world.deployment;
  return {
    received: await eachOf(world.recipients, (address) => sandbox.balanceRaw(address, 'USDC')),
    landed: await landingsOf(world),
  };
}

/** Compares all that was sent with the chain, the policies and the history. */
export async function audit({ world, stock, traffic, ledgers, checks }) {
  const { sandbox } = world.deployment;
  const received = await eachOf(world.recipients, (address) => sandbox.balanceRaw(address, 'USDC'));
  const wrong = world.recipients.filter((to, i) => received[i] - stock.received[i] !== (traffic.sentTo.get(to) ?? 0n));
  checks.equal('every recipient has on chain what was sent to it', wrong.length, 0);
  await auditLandings({ world, stock, traffic, ledgers, checks, action: 'transfer' });
  const usages = await eachOf(world.agents, usageMicros);
  const off = world.agents.filter(({ address }, i) => usages[i] !== (traffic.sentBy.get(address) ?? 0n));
  checks.equal('every policy has counted what its agent sent', off.length, 0);
}

/** How many transactions of each agent have landed, for `auditLandings`. */
export function landingsOf({ deployment: { sandbox }, agents }) {
  return eachOf(agents, async ({ address }) => (await sandbox.transactions(address)).length);
}

/** Compares what was answered with what landed and what history tells, whatever the action. */
export async function auditLandings({ world, stock, traffic, ledgers, checks, action }) {
  const { sandbox } = world.deployment;
  const told = traffic.errors > 0 ? `${traffic.errors}, such as ${traffic.firstErrors.join(' | ')}` : 'none';
  checks.equal('errors answered', told, 'none');
  const landed = await eachOf(world.agents, ({ address }) => sandbox.transactions(address));
  const count = landed.reduce((sum, list, i) => sum + list.length - stock.landed[i], 0);
  checks.equal(`one transaction landed for each ${action}`, count, traffic.accepted);
  checks.equal('none of them failed', landed.flat().filter(({ err }) => err !== null).length, 0);
  checks.equal('history shows each as confirmed', await ledgers.confirmed(action), traffic.accepted);
}

/** What counts against the daily limit, in micro-dollars; open reservations would count twice on purpose. */
async function usageMicros(agent) {
  const { body } = await agent.usage();
  const { usedUsd, reservedUsd } = body.data;
  return BigInt(Math.round(usedUsd * 1e6)) + BigInt(Math.round(reservedUsd * 1e6)) * 2n;
}

/** Asks for one after the other. */
export async function eachOf(list, ask) {
  const answers = [];
  for (const entry of list) answers.push(await ask(entry));
  return answers;
}
