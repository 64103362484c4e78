// Where the whole is measured: every service and the sandbox as processes, agents with money, recipients with accounts.
import { AgentClient, callJson, Deployment } from '@agent-wallet/standalone';
import { encodeBase58 } from '@agent-wallet/solana';
import { generateKeyPairSync } from 'node:crypto';
import { NO_LIMITS } from '../no-limits.mjs';
import { closing } from './measure/closing.mjs';
import { descendants, variableOf } from './measure/process-cpu.mjs';
import { productProcess } from './process-names.mjs';

const RECIPIENTS = 64;
const LOGINS_AT_ONCE = 4;
const ACCOUNTS_A_POUR = 50;

/** Starts it with a number of agents; options are those of a deployment. With slots of 0 ms, which is what it has by itself, a transaction is final as soon as it has run. */
export async function openWorld({ agents: count, ...options }) {
  const deployment = await startDeployment(options);
  // A dollar exactly, so that what policy counts can be compared with what was sent.
  await deployment.sandbox.setPrice({ token: 'USDC', usd: 1 });
  const agents = await logInAll(deployment, count);
  const wallets = agents.map(({ address }) => address);
  await pour(deployment, wallets, 'SOL', 1);
  await pour(deployment, wallets, 'USDC', 1_000);
  return { deployment, agents, recipients: await openRecipients(deployment) };
}

/** Starts services and sandbox alone. */
export async function startDeployment(options = {}) {
  const deployment = await Deployment.start({ ...options, environment: { ...NO_LIMITS, ...options.environment } });
  return closing(deployment, () => deployment.stop());
}

/** Where the deployment's wallet was told that chain and aggregator are. */
export function outsideOf() {
  const { pid } = [...descendants().values()].find((process) => productProcess(process) === 'wallet');
  return { rpcUrl: variableOf(pid, 'SOLANA_RPC_URL'), aggregatorUrl: variableOf(pid, 'JUPITER_BASE_URL') };
}

/** Addresses of people outside, each with an account for USDC. */
export async function openRecipients(deployment, count = RECIPIENTS) {
  const recipients = Array.from({ length: count }, newWallet);
  await pour(deployment, recipients, 'USDC', 1);
  return recipients;
}

/** The address of somebody outside. */
function newWallet() {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return encodeBase58(Buffer.from(x, 'base64url'));
}

async function logInAll(deployment, count) {
  const emails = Array.from({ length: count }, (_, i) => `agent-${i}@agents.example`);
  const agents = [];
  while (emails.length > 0) {
    const some = emails.splice(0, LOGINS_AT_ONCE);
    agents.push(...(await Promise.all(some.map((email) => logIn(deployment, email)))));
  }
  return agents;
}

function logIn(deployment, email) {
  return AgentClient.logIn(deployment.url(), deployment.sandbox, email);
}

/** Gives each address an amount of a token, from outside. */
export async function pour({ sandbox }, addresses, token, amount) {
  for (let i = 0; i < addresses.length; i += ACCOUNTS_A_POUR) {
    const body = { addresses: addresses.slice(i, i + ACCOUNTS_A_POUR), token, amount };
    const answer = await callJson(`${sandbox.adminUrl}/faucet`, { body });
    if (answer.status !== 200) throw new Error(`the faucet answered ${answer.status}: ${answer.body?.error}`);
  }
}
