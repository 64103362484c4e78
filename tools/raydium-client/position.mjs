// How the official client reads a pool and a position, and how it adds and removes liquidity. All facts are the chain's.
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionTo, openClient } from './client.mjs';

const POLL_MS = 200;
const POLLS = 300;
const BASIS_POINTS = 10_000;

/** Reads the pool, and the owner's position in it, by the client's own decoding and mathematics. */
export async function readPosition(client, { rpc, pool, owner }) {
  const { web3, sdk, BN } = client;
  const raydium = await openClient(client, connectionTo(client, rpc), new web3.PublicKey(owner));
  const { poolInfo, poolKeys, rpcData } = await raydium.cpmm.getPoolInfoFromRpc(pool);
  const { tokenAccounts } = await raydium.account.fetchWalletTokenAccounts({
    forceUpdate: true,
    commitment: 'confirmed',
  });
  const held = tokenAccounts.filter(({ mint }) => mint.equals(rpcData.mintLp));
  const lp = held.reduce((sum, { amount }) => sum.add(amount), new BN(0));
  const { lpAmount, baseReserve, quoteReserve } = rpcData;
  const down = sdk.RoundDirection.Floor;
  const curve = sdk.ConstantProductCurve;
  const amounts = curve.lpTokensToTradingTokens(lp, lpAmount, baseReserve, quoteReserve, down);
  return {
    pool: {
      ...{ address: pool, programId: poolInfo.programId, config: poolInfo.config.id, authority: poolKeys.authority },
      ...{ mints: [poolInfo.mintA.address, poolInfo.mintB.address], lpMint: poolInfo.lpMint.address },
      ...{ tokenPrograms: [poolInfo.mintA.programId, poolInfo.mintB.programId], status: rpcData.status },
      decimals: [poolInfo.mintA.decimals, poolInfo.mintB.decimals],
      reserves: [String(baseReserve), String(quoteReserve)],
      lpSupply: String(lpAmount),
      ...{ tradeFeeRate: String(rpcData.configInfo.tradeFeeRate), openTime: String(rpcData.openTime) },
      price: rpcData.poolPrice.toString(),
    },
    position: {
      ...{ owner, lp: String(lp), sharePercent: percentOf(lp, lpAmount) },
      amounts: [String(amounts.tokenAmount0), String(amounts.tokenAmount1)],
    },
  };
}

/** Returns a share in percent, with six decimals. */
function percentOf(part, whole) {
  const millionths = (BigInt(part.toString()) * 100_000_000n) / BigInt(whole.toString());
  return `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`;
}

/**
 * Adds liquidity by the client: `amount` base units of one side are the most that leaves of it.
 * @param secretKey the 64 bytes of the owner's key pair
 */
export async function addPosition(client, { rpc, pool, secretKey, amount, side, slippageBps }) {
  const { raydium, connection } = await openSigner(client, rpc, secretKey);
  const { poolInfo, poolKeys } = await raydium.cpmm.getPoolInfoFromRpc(pool);
  const inputAmount = new client.BN(String(amount));
  const slippage = new client.sdk.Percent(slippageBps, BASIS_POINTS);
  const order = { poolInfo, poolKeys, inputAmount, baseIn: side === 0, slippage, txVersion: client.sdk.TxVersion.V0 };
  return send(connection, await raydium.cpmm.addLiquidity(order));
}

/** Removes base units of liquidity tokens by the client. */
export async function removePosition(client, { rpc, pool, secretKey, liquidity, slippageBps }) {
  const { raydium, connection } = await openSigner(client, rpc, secretKey);
  const { poolInfo, poolKeys } = await raydium.cpmm.getPoolInfoFromRpc(pool);
  const lpAmount = new client.BN(String(liquidity));
  const slippage = new client.sdk.Percent(slippageBps, BASIS_POINTS);
  const order = { poolInfo, poolKeys, lpAmount, slippage, txVersion: client.sdk.TxVersion.V0 };
  return send(connection, await raydium.cpmm.withdrawLiquidity(order));
}

async function openSigner(client, rpc, secretKey) {
  const connection = connectionTo(client, rpc);
  const owner = client.web3.Keypair.fromSecretKey(secretKey);
  return { connection, raydium: await openClient(client, connection, owner) };
}

/** Sends what the client built and signed. Its own way to wait needs a socket, so the status is asked for here. */
async function send(connection, { transaction, instructionTypes }) {
  const signature = await connection.sendRawTransaction(transaction.serialize());
  await confirmed(connection, signature);
  return { signature, instructionTypes };
}

/** Waits until a transaction is confirmed. Throws when it failed, or did not land. */
export async function confirmed(connection, signature) {
  for (let poll = 0; poll < POLLS; poll++) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0];
    if (status?.err) throw new Error(`${signature} failed: ${JSON.stringify(status.err)}`);
    if (['confirmed', 'finalized'].includes(status?.confirmationStatus)) return;
    await sleep(POLL_MS);
  }
  throw new Error(`${signature} did not land.`);
}
