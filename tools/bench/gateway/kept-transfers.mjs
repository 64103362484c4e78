// Transfers that were made once, and their answers.
import { randomUUID } from 'node:crypto';
import { openHttpCaller } from '../measure/http-caller.mjs';

const PATH = '/wallets/me/actions/transfer';
const RAW = 12_345n;

/** One transfer of each agent, each to a recipient of its own, with the answer that a replay must give. */
export async function makeTransfers({ deployment, agents, recipients }) {
  const caller = openHttpCaller(deployment.url(), 1);
  const made = [];
  for (const [i, { token }] of agents.entries()) {
    const body = JSON.stringify({ to: recipients[i], amount: Number(RAW) / 1e6, mint: 'USDC' });
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() };
    const { status, text } = await caller.post(PATH, body, headers);
    if (status !== 200) throw new Error(`a transfer was answered with ${status} ${text}`);
    const answer = JSON.parse(text);
    made.push({ body, headers, answer, expected: JSON.stringify(answer.data) });
  }
  caller.close();
  return made;
}

/** Asks for each of them again, in turn. */
export function asking(path, transfers) {
  let turn = 0;
  return async (caller) => {
    const { body, headers, expected } = transfers[(turn += 1) % transfers.length];
    return { expected, ...(await caller.post(path, body, headers)) };
  };
}

/** Asks the gateway for each again, in turn. */
export const askingGateway = (transfers) => asking(PATH, transfers);

/** What moved on chain: one transaction of each agent, and the amount at each recipient. */
export async function auditTransfers({ world: { deployment, agents, recipients }, before, checks }) {
  const { sandbox } = deployment;
  let [landed, wrong] = [0, 0];
  for (const [i, { address }] of agents.entries()) {
    landed += (await sandbox.transactions(address)).length - before.landed[i];
    if ((await sandbox.balanceRaw(recipients[i], 'USDC')) - before.received[i] !== RAW) wrong += 1;
  }
  checks.equal('one transaction landed for each key, however often it came', landed, agents.length);
  checks.equal('every recipient got it once', wrong, 0);
}
