// Wallets that hold many tokens.
import { pour } from '../world.mjs';

const DECIMALS = 6;
const USD = 2;
const AMOUNT = 3;
const SOL = 1;
const BLOCK_SECONDS = 0.4;

export const SIZES = [1, 10, 50];

/** Makes tokens with a price, and gives an agent for each size so many of them, and two for the greatest. */
export async function openHoldings(deployment) {
  const mints = [];
  for (let i = 0; i < SIZES.at(-1); i += 1) {
    mints.push(await deployment.sandbox.createMint({ symbol: `T${i}`, decimals: DECIMALS, usd: USD }));
  }
  const holders = [];
  for (const size of [...SIZES, SIZES.at(-1)]) holders.push({ size, agent: await deployment.agent({ SOL }) });
  for (const [i, mint] of mints.entries()) {
    const addresses = holders.filter(({ size }) => i < size).map(({ agent }) => agent.address);
    await pour(deployment, addresses, mint, AMOUNT);
  }
  return { mints, holders };
}

/** Makes each price stem from a block of its own, as prices of a real market do. */
export async function spreadPrices({ sandbox }) {
  for (let i = 0; i < SIZES.at(-1); i += 1) {
    await sandbox.setPrice({ token: `T${i}`, usd: USD, ageSeconds: i * BLOCK_SECONDS });
  }
}

/** Checks an answer; answers for how many tokens it knows a value. */
export function checkBalances({ size, answer, mints, checks }) {
  const { sol, tokens } = answer.body.data ?? { tokens: [] };
  checks.equal('balances are answered', answer.status, 200);
  checks.equal('SOL is exact', sol?.amountRaw, String(SOL * 1e9));
  const held = new Map(tokens.map((token) => [token.mint, token]));
  const wrong = mints.slice(0, size).filter((mint) => held.get(mint)?.amountRaw !== String(AMOUNT * 10 ** DECIMALS));
  checks.equal('every token is there, exact', `${tokens.length}, ${wrong.length} wrong`, `${size}, 0 wrong`);
  const valued = tokens.filter(({ usdValue }) => usdValue !== null);
  checks.equal('every value is right', valued.filter(({ usdValue }) => usdValue !== USD * AMOUNT).length, 0);
  return valued.length;
}
