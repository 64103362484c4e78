// Whether what one agent has is what its answers add up to.
import { setTimeout as sleep } from 'node:timers/promises';
import { hundredths, micros } from './published.mjs';

const RETRY_MS = 100;
const TIMEOUT_MS = 60_000;

/** Reads its money and positions, with nothing of its own under way. @throws Error when they do not add up */
export async function checkAgent(trader) {
  const { agent, deployment, totals } = trader;
  const wallet = await deployment.sandbox.balanceRaw(agent.address, 'USDC');
  const { balance, positions } = await moneyOf(agent.predictions);
  const wrong = [...wrongPositions(trader, positions)];
  const paid = positions.reduce((sum, { settlementPayoutDollars }) => sum + micros(settlementPayoutDollars ?? 0), 0n);
  const free = micros(balance.balanceDollars);
  if (trader.isRefundUnknown) learnRefund(trader, { wallet, balance: free - paid });
  if (wallet !== totals.wallet) wrong.push(`it has ${wallet} in its wallet instead of ${totals.wallet}`);
  if (free !== totals.balance + paid) wrong.push(`its balance is ${free} instead of ${totals.balance + paid}`);
  if (free < 0n || balance.availableCents < 0) wrong.push(`its balance is ${JSON.stringify(balance)}`);
  trader.cents = balance.availableCents;
  if (wrong.length > 0) throw new Error(`${agent.email}: ${wrong.join('; ')}`);
}

/** Balance and positions of one moment: what a settlement pays is in both or in neither. */
async function moneyOf(predictions) {
  for (;;) {
    const before = await read(() => predictions.positions('?settled=true'));
    const balance = await read(() => predictions.balance());
    const after = await read(() => predictions.positions());
    const settled = ({ summary }) => summary.settledPositions;
    if (settled(before) === settled(after)) return { balance, positions: after.positions };
  }
}

function* wrongPositions({ totals, floor }, positions) {
  const found = new Map(positions.map((position) => [`${position.ticker} ${position.side}`, position]));
  for (const [key, { quantity, lockedQuantity, settled }] of found) {
    const expected = totals.held.get(key) ?? 0;
    if (hundredths(quantity) !== expected) yield `it holds ${quantity} of ${key} instead of ${expected / 100}`;
    if (!settled && lockedQuantity !== 0) yield `${lockedQuantity} of ${key} are locked for nothing`;
  }
  for (const [key, count] of totals.held) {
    if (count !== 0 && !found.has(key)) yield `it does not hold ${key}, of which it bought ${count / 100}`;
  }
  for (const { ticker, side, quantity, settled, settlementPayoutDollars } of positions) {
    if (!settled) continue;
    const yesCents = floor.ended.get(ticker);
    const cents = side === 'yes' ? yesCents : 100 - yesCents;
    // Of hundredths of contracts, whole micro-dollars.
    const expected = BigInt(hundredths(quantity)) * BigInt(cents) * 100n;
    if (micros(settlementPayoutDollars) !== expected) {
      yield `it was paid ${settlementPayoutDollars} for ${quantity} ${ticker} ${side} instead of ${expected} micro-dollars`;
    }
  }
}

/** A refused purchase whose refund could not be sent does not tell how much it was: all of it is in the balance. */
function learnRefund(trader, { wallet, balance }) {
  const { totals } = trader;
  if (totals.wallet + totals.balance === wallet + balance) {
    totals.counted += totals.wallet - wallet;
    Object.assign(totals, { wallet, balance });
  }
  trader.isRefundUnknown = false;
}

/** Asks until it is answered. */
async function read(ask) {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer?.status === 200) return answer.body.data;
    const isOver = performance.now() > deadlineMs || (answer && answer.status < 500);
    if (isOver) throw new Error(`a read was answered with ${answer?.status} ${JSON.stringify(answer?.body)}`);
    await sleep(RETRY_MS);
  }
}
