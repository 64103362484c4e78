#!/usr/bin/env node
// Whether Raydium's official client agrees with ours: `node tools/raydium-client/main.mjs --help`.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeAll, closing } from '../measuring/closing.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { run } from '../running/process.mjs';
import { installClient, PACKAGE, VERSION } from './client.mjs';
import { addPosition, readPosition, removePosition } from './position.mjs';

const HELP = `Usage: node tools/raydium-client/main.mjs [options]

Installs ${PACKAGE} ${VERSION} (GPL-3.0) in a temporary folder outside the repository, and prints in JSON
how it reads a constant-product pool and a position in it. Everything is read from the chain; Raydium's API is not asked.

  --rpc URL          JSON-RPC of the node
  --pool ADDRESS     the pool
  --owner ADDRESS    the position's owner; taken from the key when left out
  --key FILE         the owner's key pair: a JSON array of 64 numbers, as the Solana CLI writes it
  --add AMOUNT       first adds liquidity: base units of one side that may leave. Signs and sends
  --side 0|1         the side that AMOUNT is of (default 0)
  --remove LP        first removes liquidity: base units of liquidity tokens. Signs and sends
  --slippage BPS     tolerance in basis points (default 100)

  --both-ways        instead: starts a sandbox, makes positions with either client, and removes each with the other
  --vectors FILE     instead: writes the golden vectors of libs/solana
  --client FOLDER    keeps the client there, and uses it when it is there
  --help             this text`;

const TEXT = { type: 'string' };
const OPTIONS = {
  ...{ rpc: TEXT, pool: TEXT, owner: TEXT, key: TEXT, add: TEXT, remove: TEXT, vectors: TEXT, client: TEXT },
  ...{ side: { ...TEXT, default: '0' }, slippage: { ...TEXT, default: '100' }, 'both-ways': { type: 'boolean' } },
  help: { type: 'boolean', short: 'h' },
};

/** Leaves standard output to our own JSON: the client prints notes there. */
function printNotesToStandardError() {
  for (const level of ['log', 'info', 'debug', 'warn']) console[level] = console.error;
}

function print(result) {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

async function main() {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  printNotesToStandardError();
  const folder = values.client
    ? path.resolve(values.client)
    : closing(await mkdtemp(path.join(os.tmpdir(), 'raydium-client-')), (each) => rm(each, { recursive: true }));
  const client = await installClient(folder);
  if (values.vectors) return writeVectors(client, values.vectors);
  if (values['both-ways']) return goBothWays(client);
  return showPosition(client, values);
}

async function writeVectors(client, file) {
  const { makeVectors } = await import('./vectors.mjs');
  await writeFile(file, `${JSON.stringify(await makeVectors(client), null, 2)}\n`);
  return 0;
}

/** Needs what is built from the sources, so it is imported when that is there. */
async function goBothWays(client) {
  await ensureInstalled();
  const { code } = await run([process.execPath, 'tools/build.mjs'], { capture: true });
  if (code !== 0) throw new Error('The build failed.');
  const { bothWays } = await import('./both-ways.mjs');
  const result = await bothWays(client);
  print(result);
  return result.differences.length === 0 ? 0 : 1;
}

async function showPosition(client, values) {
  const { rpc, pool, add, remove, side } = values;
  if (!rpc || !pool) throw new Error(`--rpc and --pool are required.\n\n${HELP}`);
  const secretKey = values.key && Uint8Array.from(JSON.parse(await readFile(values.key, 'utf8')));
  if (!secretKey && (add || remove)) throw new Error('--add and --remove need --key.');
  const owner = values.owner ?? (secretKey && client.web3.Keypair.fromSecretKey(secretKey).publicKey.toBase58());
  if (!owner) throw new Error('--owner or --key is required.');
  const order = { rpc, pool, secretKey, slippageBps: Number(values.slippage) };
  const added = add && (await addPosition(client, { ...order, amount: BigInt(add), side: Number(side) }));
  const removed = remove && (await removePosition(client, { ...order, liquidity: BigInt(remove) }));
  print({
    ...(added && { added }),
    ...(removed && { removed }),
    ...(await readPosition(client, { rpc, pool, owner })),
  });
  return 0;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void closeAll().then(() => process.exit(130)));
process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 1;
});
await closeAll();
process.exit();
