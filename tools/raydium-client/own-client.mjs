// How we read a position, and how we add and remove liquidity: by the functions that the services use.
import {
  addPlan,
  amountsToAdd,
  amountsToRemove,
  associatedTokenAddress,
  buildMessage,
  leastWithin,
  liquidityFor,
  mostWithin,
  openSolanaChain,
  readCpmmPool,
  readTokenAccount,
  removePlan,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana';
import { Connection, Keypair, VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { confirmed } from './position.mjs';

/** Reads the pool, and the owner's position in it, in the form in which the official client's reading is printed. */
export async function readOwn({ rpc, pool, owner }) {
  const chain = openSolanaChain({ rpcUrl: rpc });
  const read = await readCpmmPool(chain, pool);
  if (!read) throw new Error(`No constant-product pool lives at ${pool}.`);
  const lpAccount = associatedTokenAddress({ owner, mint: read.lpMint, tokenProgram: TOKEN_PROGRAM });
  const { accounts } = await chain.accounts([lpAccount]);
  const lp = readTokenAccount(accounts[0])?.amount ?? 0n;
  return { read, lp, reading: readingOf(read, lp) };
}

function readingOf(read, lp) {
  return {
    ...{ config: read.config, lpMint: read.lpMint, mints: read.sides.map(({ mint }) => mint) },
    ...{ tokenPrograms: read.sides.map(({ tokenProgram }) => tokenProgram) },
    ...{ decimals: read.sides.map(({ decimals }) => decimals), reserves: read.reserves.map(String) },
    ...{ lpSupply: String(read.lpSupply), tradeFeeRate: String(read.tradeFeeRate) },
    ...{ openTime: String(read.openTimeSeconds), lp: String(lp) },
    amounts: amountsToRemove(lp, read).map(String),
  };
}

/** Adds liquidity: `amount` base units of the first side are the most that leaves of it. */
export async function addOwn({ rpc, pool, secretKey, amount, slippageBps }) {
  const { wallet, read } = await openOwn({ rpc, pool, secretKey });
  const liquidity = liquidityFor([amount, undefined], read, slippageBps);
  const [quoted0, quoted1] = amountsToAdd(liquidity, read);
  const [max0, max1] = [quoted0, quoted1].map((quoted) => mostWithin(quoted, slippageBps));
  const value = { pool: poolOf(read), liquidity, quoted0, quoted1, slippageBps, max0, max1 };
  addPlan(value);
  return carryOut(rpc, wallet, { $case: 'liquidityAdd', value });
}

/** Removes base units of liquidity tokens. */
export async function removeOwn({ rpc, pool, secretKey, liquidity, slippageBps }) {
  const { wallet, read } = await openOwn({ rpc, pool, secretKey });
  const [quoted0, quoted1] = amountsToRemove(liquidity, read);
  const [min0, min1] = [quoted0, quoted1].map((quoted) => leastWithin(quoted, slippageBps));
  const value = { pool: poolOf(read), liquidity, quoted0, quoted1, slippageBps, min0, min1 };
  removePlan(value);
  return carryOut(rpc, wallet, { $case: 'liquidityRemove', value });
}

async function openOwn({ rpc, pool, secretKey }) {
  const wallet = Keypair.fromSecretKey(secretKey);
  const { read } = await readOwn({ rpc, pool, owner: wallet.publicKey.toBase58() });
  return { wallet, read };
}

function poolOf({ config, sides: [side0, side1] }) {
  return {
    ...{ config, mint0: side0.mint, mint1: side1.mint },
    ...{ tokenProgram0: side0.tokenProgram, tokenProgram1: side1.tokenProgram },
    ...{ decimals0: side0.decimals, decimals1: side1.decimals },
  };
}

/** Builds, signs and sends a message for an intent, and waits until it is confirmed. */
async function carryOut(rpc, wallet, action) {
  const connection = new Connection(rpc, 'confirmed');
  const { blockhash } = await connection.getLatestBlockhash('confirmed');
  const bytes = buildMessage({ intent: { wallet: wallet.publicKey.toBase58(), action }, blockhash });
  const transaction = new VersionedTransaction(VersionedMessage.deserialize(bytes));
  transaction.sign([wallet]);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  await confirmed(connection, signature);
  return { signature };
}
