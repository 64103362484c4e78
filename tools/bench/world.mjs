// Where the whole is measured: every service and the sandbox as processes, agents with money, recipients with accounts.
import { AgentClient, callJson } from '@agent-wallet/standalone';
import { Deployment } from '@agent-wallet/standalone/testing';
import { closing } from '../measuring/closing.mjs';
import { NO_LIMITS } from '../measuring/no-limits.mjs';
import { newAddress } from './intent.mjs';
import { descendants, productProcess, variableOf } from './measure/cpu.mjs';
import { closedLoop } from './measure/load.mjs';

const RECIPIENTS = 64;
const LOGINS_AT_ONCE = 4;
const ACCOUNTS_A_POUR = 50;

/** Starts it with a number of agents; options are those of a deployment. */
export async function startWithAgents({ agents, ...options }) {
  return populate(await startDeployment(options), agents);
}

/** Starts services and sandbox alone. With slots of 0 ms, the default, a transaction is final as soon as it has run. */
export async function startDeployment(options = {}) {
  const deployment = await Deployment.start({ ...options, environment: { ...NO_LIMITS, ...options.environment } });
  return closing(deployment, () => deployment.stop());
}

/** Agents with money and recipients in what has a `url()` and a `sandbox`. */
export async function populate(deployment, count) {
  // A dollar exactly, so that what policy counts can be compared with what was sent.
  await deployment.sandbox.setPrice({ token: 'USDC', usd: 1 });
  const agents = await logInAll(deployment, count);
  const wallets = agents.map(({ address }) => address);
  await pour(deployment, wallets, 'SOL', 1);
  await pour(deployment, wallets, 'USDC', 1_000);
  return { deployment, agents, recipients: await openRecipients(deployment) };
}

/** Where chain and aggregator are, as the deployment's wallet knows it. */
export function outsideOf() {
  const { pid } = [...descendants().values()].find((process) => productProcess(process) === 'wallet');
  return { rpcUrl: variableOf(pid, 'SOLANA_RPC_URL'), aggregatorUrl: variableOf(pid, 'JUPITER_BASE_URL') };
}

/** Addresses outside the product, each with an account for USDC. */
export async function openRecipients(deployment, count = RECIPIENTS) {
  const recipients = Array.from({ length: count }, newAddress);
  await pour(deployment, recipients, 'USDC', 1);
  return recipients;
}

async function logInAll(deployment, count) {
  const agents = [];
  const logIn = async () => {
    const n = agents.push(undefined) - 1;
    agents[n] = await AgentClient.logIn(deployment.url(), deployment.sandbox, `agent-${n}@agents.example`);
  };
  await closedLoop({ callers: LOGINS_AT_ONCE, calls: count, call: logIn });
  return agents;
}

/** Gives each address an amount of a token, from outside. */
export async function pour({ sandbox }, addresses, token, amount) {
  for (let i = 0; i < addresses.length; i += ACCOUNTS_A_POUR) {
    const body = { addresses: addresses.slice(i, i + ACCOUNTS_A_POUR), token, amount };
    const answer = await callJson(`${sandbox.adminUrl}/faucet`, { body });
    if (answer.status !== 200) throw new Error(`the faucet answered ${answer.status}: ${answer.body?.error}`);
  }
}

/** Asks for one after the other. */
export async function eachOf(list, ask) {
  const answers = [];
  for (const entry of list) answers.push(await ask(entry));
  return answers;
}
