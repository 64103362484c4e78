// Requests of victims and attackers, scene by scene.
import { setTimeout as sleep } from 'node:timers/promises';
import { newAddress } from '../intent.mjs';
import { closedLoop } from '../measure/load.mjs';
import { openMarkets } from '../traffic/buys.mjs';
import { tradeOf } from '../traffic/trades.mjs';
import { openRecipients, pour } from '../world.mjs';
import { askByMail, postAs } from './actors.mjs';

const BUYS_AT_ONCE = 4;
const CENTS = { offered: 60, neverOffered: 1 };
/** Contracts of one purchase, which is below what a policy permits one transaction. */
const MOST_CONTRACTS = 100;
/** A withdrawal of the least amount, and what a contract that has won pays. */
const LEAST_WITHDRAWAL_USD = 1;
/** Withdrawals that an attacker can pay for: more than it asks for in a cell. */
const ATTACKER_WITHDRAWALS = 60;
const SETTLED_WITHIN_MS = 60_000;
/** Worth the rent of an account, so that the sponsor opens it. */
const WORTH_AN_ACCOUNT_USD = 1;
const LEAST_TRANSFER_USD = 0.01;
/** New accounts that the sponsor pays for, of an agent and day. */
const SPONSORED_ACCOUNTS = 3;

/** A plan of the aggregator: beside a hundred others, the 60 requests a minute without one are no trade a minute. */
const AGGREGATOR_PER_MINUTE = 600;
/** For the tokens' warnings, and for the order. */
const REQUESTS_OF_A_TRADE = 2;
/** The exchange's lowest tier, as the service asks it. */
const ORDERS_A_SECOND = 9.8;
/**
 * Money moves of all attackers together that leave half of two processors free. A hundred who each make 30 a minute need
 * more than there is, and then every latency is the machine's.
 */
const MOVES_A_SECOND = 12;
/** Margin by which a victim stays within its equal share: it asks for two thirds. */
const WITHIN = 1.5;

const everyone = ({ victims, attackers }) => [...victims, ...attackers];
const walletsOf = (users) => users.map(({ address }) => address);

async function fund({ deployment }, users, amounts) {
  for (const [token, amount] of Object.entries(amounts)) await pour(deployment, walletsOf(users), token, amount);
}

/** Builds a scene about codes: its own window lets an address ask twice, and its victim has as many addresses as it needs. */
const byMail = (name, purpose) => ({
  name,
  asksPerVictim: 2,
  prepare: async () => {},
  ask: ({ deployment }, victim) => askByMail(deployment, victim, purpose),
  attack: ({ deployment }, { client }, { n, targets }) =>
    postAs(deployment, { client }, '/connect/start', { email: targets[n % targets.length].email, purpose }),
});

const trades = {
  name: 'trades',
  environment: { JUPITER_REQUESTS_PER_MINUTE: String(AGGREGATOR_PER_MINUTE) },
  shareMs: (users) => ((REQUESTS_OF_A_TRADE * 60_000) / AGGREGATOR_PER_MINUTE) * users * WITHIN,
  asksPerVictim: Infinity,
  prepare: (world) => fund(world, everyone(world), { SOL: 1, USDC: 100 }),
  ask: ({ deployment }, victim, n) => trade(deployment, victim, { turn: n, n }),
  attack: ({ deployment }, attacker, { turn, n }) =>
    trade(deployment, attacker, { turn: Math.floor(turn / 2), n, query: turn % 2 === 0 ? '?dryRun=true' : '' }),
};

function trade(deployment, user, { turn, n, query = '' }) {
  const { from, to, raw } = tradeOf(turn, n);
  const order = { from: from.symbol, to: to.symbol, amount: raw / 10 ** from.decimals };
  return postAs(deployment, user, `/wallets/me/actions/trade${query}`, order);
}

const purchases = {
  name: 'purchases',
  mostAttacksPerSecond: MOVES_A_SECOND,
  shareMs: (users) => (1_000 / ORDERS_A_SECOND) * users * WITHIN,
  asksPerVictim: Infinity,
  prepare: async (world) => {
    await fund(world, everyone(world), { SOL: 1, USDC: 200 });
    world.tickers = await openMarkets(world.deployment.sandbox);
  },
  ask: (world, victim, n) => buyInTurn(world, victim, { n, cents: CENTS.offered }),
  // Every other one finds no offer, and its escrow goes back.
  attack: (world, attacker, { turn, n }) =>
    buyInTurn(world, attacker, { n, cents: turn % 2 === 0 ? CENTS.offered : CENTS.neverOffered }),
};

function buyInTurn({ deployment, tickers }, user, { n, cents }) {
  const side = Math.floor(n / tickers.length) % 2 === 0 ? 'yes' : 'no';
  return buy(deployment, user, { ticker: tickers[n % tickers.length], side, count: 1, maxPriceCents: cents });
}

const buy = (deployment, user, order) => postAs(deployment, user, '/predictions/buy', order);

const withdrawals = {
  name: 'withdrawals',
  mostAttacksPerSecond: MOVES_A_SECOND,
  asksPerVictim: Infinity,
  /** Contracts that have won become the collateral to withdraw. */
  prepare: async (world, { asks }) => {
    await fund(world, everyone(world), { SOL: 1, USDC: 200 });
    const { deployment, victims, attackers } = world;
    const [ticker] = await openMarkets(deployment.sandbox);
    const wanted = [...victims.map((user) => [user, asks]), ...attackers.map((user) => [user, ATTACKER_WITHDRAWALS])];
    let next = 0;
    const call = () => buyContracts(deployment, ...wanted[next++], ticker);
    await closedLoop({ callers: BUYS_AT_ONCE, calls: wanted.length, call });
    await deployment.sandbox.settle(ticker, 'yes');
    for (const [user, count] of wanted) await untilOwed(deployment, user, count * LEAST_WITHDRAWAL_USD);
  },
  ask: ({ deployment }, victim) => withdraw(deployment, victim),
  attack: ({ deployment }, attacker) => withdraw(deployment, attacker),
};

const withdraw = (deployment, user) =>
  postAs(deployment, user, '/predictions/withdraw', { amountDollars: LEAST_WITHDRAWAL_USD });

async function buyContracts(deployment, user, wanted, ticker) {
  for (let left = wanted; left > 0; left -= MOST_CONTRACTS) {
    const order = { ticker, side: 'yes', count: Math.min(left, MOST_CONTRACTS), maxPriceCents: CENTS.offered };
    const { status, text } = await buy(deployment, user, order);
    if (status !== 200 && status !== 202) throw new Error(`${user.email} could not buy: ${status} ${text}`);
  }
}

/** Resolves when a user's balance at the exchange is as much. */
async function untilOwed(deployment, user, usd) {
  const headers = { authorization: `Bearer ${user.token}`, 'x-forwarded-for': user.client };
  const endMs = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const response = await fetch(`${deployment.url()}/predictions/balance`, { headers });
    const text = await response.text();
    if (response.status === 200 && JSON.parse(text).data.balanceDollars >= usd) return;
    if (performance.now() > endMs) throw new Error(`${user.email} has no winnings: ${response.status} ${text}`);
    await sleep(3_000);
  }
}

const transfers = {
  name: 'sponsored transfers',
  mostAttacksPerSecond: MOVES_A_SECOND,
  asksPerVictim: Infinity,
  /** Without SOL: the sponsor pays each fee. */
  prepare: async (world) => {
    await fund(world, everyone(world), { USDC: 100 });
    world.recipients = await openRecipients(world.deployment);
  },
  ask: (world, victim, n) => transferToKnown(world, victim, n),
  attack: (world, attacker, { turn, n }) => {
    if (turn < SPONSORED_ACCOUNTS) return transfer(world, attacker, { to: newAddress(), amount: WORTH_AN_ACCOUNT_USD });
    if (turn % 2 === 0) return transfer(world, attacker, { to: newAddress(), amount: LEAST_TRANSFER_USD });
    return transferToKnown(world, attacker, n);
  },
};

const transferToKnown = (world, user, n) =>
  transfer(world, user, { to: world.recipients[n % world.recipients.length], amount: LEAST_TRANSFER_USD });

const transfer = ({ deployment }, user, order) =>
  postAs(deployment, user, '/wallets/me/actions/transfer', { mint: 'USDC', ...order });

export const SCENES = [
  byMail('login', 'login'),
  byMail('eviction', 'evict'),
  trades,
  purchases,
  withdrawals,
  transfers,
];
