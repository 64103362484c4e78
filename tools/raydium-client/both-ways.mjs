// Positions that one client makes and the other reads and removes, in a sandbox of its own.
import { sandboxSettings, startSandbox } from '@agent-wallet/sandbox';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { closing } from '../measuring/closing.mjs';
import { connectionTo, openClient, PACKAGE, VERSION } from './client.mjs';
import { addOwn, readOwn, removeOwn } from './own-client.mjs';
import { addPosition, readPosition, removePosition } from './position.mjs';

const ANY_PORTS = ['RPC', 'WS', 'AGGREGATOR', 'EXCHANGE', 'SMTP', 'ADMIN'].map((part) => [`SANDBOX_${part}_PORT`, '0']);
const PRICES = { SOL: 150, USDC: 1, JUP: 0.5, BONK: 0.00002 };
const SLIPPAGE_BPS = 100;
/** Of each pool's smaller side, the part that goes in. */
const PART = 10_007n;
const FUNDS = { SOL: 200, USDC: 20_000, JUP: 20_000, BONK: 500_000_000, NEWER: 20_000 };

/** Compares the clients in every pool of the sandbox, and in one with a token of Token-2022. */
export async function bothWays(client) {
  const sandbox = await openSandbox();
  const post = (route, body) => call(sandbox.adminUrl + route, { method: 'POST', body: JSON.stringify(body) });
  await post('/prices', { freeze: true });
  for (const [token, usd] of Object.entries(PRICES)) await post('/prices', { token, usd });
  await post('/mints', { symbol: 'NEWER', decimals: 6, program: 'token-2022', usd: 1 });
  await post('/liquidity/pools', { mintA: 'USDC', mintB: 'NEWER', depthUsd: '1000000' });
  const { pools } = await call(`${sandbox.adminUrl}/liquidity/pools`);
  const results = [];
  for (const pool of pools.filter(({ owner }) => owner === String(client.sdk.CREATE_CPMM_POOL_PROGRAM))) {
    results.push(await compareIn(client, { post, rpc: sandbox.rpcUrl, pool }));
  }
  const strangers = await readStrangers(client, { post, rpc: sandbox.rpcUrl });
  const differences = results.flatMap((result) => result.differences);
  return { client: `${PACKAGE}@${VERSION}`, pools: results, strangers, differences };
}

async function openSandbox() {
  const dir = closing(await mkdtemp(path.join(os.tmpdir(), 'sandbox-')), (each) => rm(each, { recursive: true }));
  const environment = { ...Object.fromEntries(ANY_PORTS), SANDBOX_SLOT_MS: '0', SANDBOX_DATA_DIR: dir };
  return closing(await startSandbox(sandboxSettings(environment)), (sandbox) => sandbox.stop());
}

async function call(url, init) {
  const response = await fetch(url, init);
  const body = await response.json();
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(body)}`);
  return body;
}

/** Shows which client reads pools that are not what they seem. We refuse them; the official client trusts the address. */
async function readStrangers(client, { post, rpc }) {
  const stranger = client.web3.Keypair.generate().publicKey.toBase58();
  const kinds = {
    'at a free address': { address: 'free' },
    'of another program': { address: 'free', owner: stranger },
    'with vaults of another owner': { address: 'free', authority: stranger },
  };
  const read = {};
  for (const [kind, more] of Object.entries(kinds)) {
    const { pool } = await post('/liquidity/pools', { mintA: 'SOL', mintB: 'JUP', depthUsd: '1000', ...more });
    const place = { rpc, pool, owner: stranger };
    const [official, own] = await Promise.allSettled([readPosition(client, place), readOwn(place)]);
    read[kind] = { official: verdictOn(official), own: verdictOn(own) };
  }
  return read;
}

function verdictOn({ status, reason }) {
  return status === 'fulfilled' ? 'reads it' : reason.message;
}

/** Lets each client make a position in one pool that the other one removes, and reads with both after every step. */
async function compareIn(client, { post, rpc, pool }) {
  const wallet = client.web3.Keypair.generate();
  const owner = wallet.publicKey.toBase58();
  for (const [token, amount] of Object.entries(FUNDS)) await post('/faucet', { address: owner, token, amount });
  const place = { rpc, pool: pool.pool, owner };
  const order = { rpc, pool: pool.pool, secretKey: wallet.secretKey, slippageBps: SLIPPAGE_BPS };
  const amount = BigInt(pool.reserves[0]) / PART;
  const swapped = await compareSwap(client, { post, rpc, pool, amount });
  const steps = [];
  const step = async (name, act) => {
    const done = await act();
    steps.push({
      name,
      ...(done.instructionTypes && { built: done.instructionTypes }),
      ...(await compare(client, place)),
    });
    return BigInt(steps.at(-1).lp);
  };
  const theirs = await step('the official client adds', () => addPosition(client, { ...order, amount, side: 0 }));
  await step('we remove a third', () => removeOwn({ ...order, liquidity: theirs / 3n }));
  await step('we remove the rest', () => removeOwn({ ...order, liquidity: theirs - theirs / 3n }));
  const own = await step('we add', () => addOwn({ ...order, amount }));
  await step('the official client removes a third', () => removePosition(client, { ...order, liquidity: own / 3n }));
  await step('the official client removes the rest', () =>
    removePosition(client, { ...order, liquidity: own - own / 3n }),
  );
  const differences = [...swapped.differences, ...steps.flatMap((each) => each.differences)];
  return {
    pool: pool.pool,
    mints: [pool.mint0, pool.mint1],
    configIndex: pool.configIndex,
    swapped,
    steps,
    differences,
  };
}

/** Compares what the client computes for a swap with what the sandbox's program pays. Afterwards the vaults hold fees. */
async function compareSwap(client, { post, rpc, pool, amount }) {
  const { sdk, BN, web3 } = client;
  const raydium = await openClient(client, connectionTo(client, rpc), web3.PublicKey.default);
  const { computePoolInfo } = await raydium.cpmm.getPoolInfoFromRpc(pool.pool);
  const order = { pool: computePoolInfo, amountIn: new BN(String(amount)), outputMint: pool.mint1, slippage: 0 };
  const computed = raydium.cpmm.computeSwapAmount(order);
  const paid = await post(`/liquidity/pools/${pool.pool}/swaps`, { mint: pool.mint0, amountRaw: String(amount) });
  const amounts = { official: String(computed.amountOut), sandbox: paid.amountOutRaw };
  const isSame = amounts.official === amounts.sandbox && sdk.CREATE_CPMM_POOL_PROGRAM.equals(computePoolInfo.programId);
  return { amountIn: String(amount), ...amounts, differences: isSame ? [] : [{ pool: pool.pool, swap: amounts }] };
}

/** Reads with both clients. */
async function compare(client, place) {
  const official = await readPosition(client, place);
  const { reading: own } = await readOwn(place);
  const { reserves, lpSupply, config, lpMint, mints, tokenPrograms, decimals, tradeFeeRate, openTime } = official.pool;
  const { lp, amounts, sharePercent } = official.position;
  const theirs = {
    config,
    lpMint,
    mints,
    tokenPrograms,
    decimals,
    reserves,
    lpSupply,
    tradeFeeRate,
    openTime,
    lp,
    amounts,
  };
  const differing = Object.keys(theirs).filter((field) => !isDeepStrictEqual(theirs[field], own[field]));
  const differences = differing.map((field) => ({ ...place, field, official: theirs[field], own: own[field] }));
  return { lp, amounts, sharePercent, reserves, lpSupply, price: official.pool.price, differences };
}
