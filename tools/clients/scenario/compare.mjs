// One scenario through every client, each at a wallet of its own that began alike: the results must be equal to the base unit.
// Prices differ from start to start. So of trades and pools it compares what they do not change, and what is left with the chain.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { run } from '../../running/process.mjs';

/** Two tokens of which the sandbox has a pool. */
const POOL = '7JuwJuNU88gurFnyWeiyGKbFmExMWcmRZntn9imEzdny';
const TICKER = 'SCENARIO-1';

/**
 * @param clients programs by the names of the clients, with what their environment needs
 * @param startWallet starts a wallet; each client has one whose pools nothing has moved
 * @returns whether all results are equal
 */
export async function compareClients(clients, { startWallet, newAddress }) {
  const results = new Map();
  for (const [name, { command, needs }] of Object.entries(clients)) {
    results.set(name, await resultOf(command, { needs, startWallet, to: newAddress() }));
    console.log(`  ${name}: ${JSON.stringify(results.get(name))}`);
  }
  const [[, expected], ...others] = results;
  const wrong = others.flatMap(([name, result]) =>
    Object.keys(expected)
      .filter((step) => !isDeepStrictEqual(result[step], expected[step]))
      .map(
        (step) => `${name}: ${step} is ${JSON.stringify(result[step])} instead of ${JSON.stringify(expected[step])}`,
      ),
  );
  for (const line of wrong) console.error(`  WRONG ${line}`);
  console.log(`${results.size} clients, ${Object.keys(expected).length} steps: ${wrong.length} differ.`);
  return wrong.length === 0;
}

async function resultOf(command, { needs, startWallet, to }) {
  const deployment = await startWallet();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'scenario-'));
  try {
    const agent = await deployment.agent({ SOL: 2, USDC: 300 });
    const owner = await openOwner(deployment, agent);
    await deployment.sandbox.faucet(to, 'USDC', 1);
    await deployment.sandbox.addMarket({ ticker: TICKER, title: 'Equal?', yesBid: 60, yesAsk: 65, size: 1_000 });
    const places = { API: deployment.url(), SANDBOX: deployment.sandbox.adminUrl, STORE: folder, EMAIL: agent.email };
    const env = { ...needs, ...places, TO: to, POOL, TICKER };
    const { code, output } = await run(command, { capture: true, env });
    await owner.stop();
    if (code !== 0) throw new Error(`${command.join(' ')} failed.\n${output}`);
    const result = JSON.parse(output.trim().split('\n').at(-1));
    const [sol, usdc] = await Promise.all(
      ['SOL', 'USDC'].map((token) => deployment.sandbox.balanceRaw(agent.address, token)),
    );
    return comparable(result, [sol, usdc].map(String));
  } finally {
    await deployment.stop();
    await rm(folder, { recursive: true });
  }
}

/** An owner who has claimed the agent, and decides on its payments: the first is approved, all others are rejected. */
async function openOwner(deployment, agent) {
  const { OwnerConsole } = await import('@agent-wallet/standalone/testing');
  const owner = await OwnerConsole.claiming(deployment, agent);
  let [decided, isOver] = [0, false];
  const decide = async () => {
    while (!isOver) {
      const { approvals } = (await owner.call('/approvals?state=pending')).body.data;
      for (const payment of approvals.filter(({ kind }) => kind === 'operation')) {
        await (decided === 0 ? owner.approve(payment) : owner.call(`/approvals/${payment.id}/reject`, {}));
        decided += 1;
      }
      await sleep(100);
    }
  };
  const over = decide();
  return {
    stop: () => {
      isOver = true;
      return over;
    },
  };
}

/** Returns what must be equal for all clients. @param onChain balances of the wallet */
function comparable({ traded: [spent], liquidity: [added, removed], history, left, ...rest }, onChain) {
  const units = (amount) => BigInt(amount.split(' ')[0]);
  const kept = added.map((amount, n) => `${units(amount) - units(removed[n])} ${amount.split(' ')[1]}`);
  const isAsOnChain = isDeepStrictEqual(left, onChain) ? 'as on chain' : `${left} and ${onChain} on chain`;
  // Deposits of the same second have no order.
  const deposits = history.filter((record) => record.startsWith('deposit')).sort();
  const ordered = [...deposits, ...history.slice(deposits.length)];
  return { ...rest, history: ordered, traded: spent, liquidity: kept, left: isAsOnChain };
}
