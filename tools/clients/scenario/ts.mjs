// Does what `npm run clients -- --scenario` compares, through the TypeScript SDK.
import { ApiError, logIn } from '@agent-wallet/sdk';
import { FileStore } from '@agent-wallet/sdk/node';
import { setTimeout as sleep } from 'node:timers/promises';

const { API, SANDBOX, STORE, EMAIL, TO, POOL, TICKER } = process.env;

/** Reads the code that was mailed last. */
async function mailedCode() {
  const { messages } = await (await fetch(`${SANDBOX}/inbox?to=${EMAIL}`)).json();
  return messages[0].text.match(/\d{6}/)[0];
}

const { wallet } = await logIn({ baseUrl: API, store: new FileStore(STORE) }, EMAIL, mailedCode);

async function refusal(asked) {
  try {
    await asked;
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, retry, data } = error;
    return { code, retry, rule: data.rule ?? null, version: data.version ?? null };
  }
}

const raws = (tokens) => tokens.map(({ symbol, amountRaw }) => `${amountRaw} ${symbol}`);

/** The actions and states of history, the oldest first, once all have ended. */
async function ended() {
  for (;;) {
    const records = await wallet.history().all();
    if (records.every(({ status }) => !['pending', 'submitted'].includes(status))) {
      return records.reverse().map(({ action, status, amountRaw }) => `${action} ${status} ${amountRaw}`);
    }
    await sleep(200);
  }
}

async function firstEvents(count) {
  const types = [];
  for await (const event of wallet.events({ after: 0 })) {
    if (event.type === 'change') types.push(event.eventType);
    if (types.length === count) break;
  }
  // Two services wrote them.
  return types.sort();
}

const { claimed } = await wallet.me();
const { sol, tokens } = await wallet.balances();
const dry = await wallet.dryRun.transfer({ to: TO, amount: '0.3', mint: 'USDC' });
const first = await wallet.transfer({ to: TO, amount: '0.3', mint: 'USDC' }, { key: 'invoice-1' });
const again = await wallet.transfer({ to: TO, amount: '0.3', mint: 'USDC' }, { key: 'invoice-1' });
const exact = await wallet.transfer({ to: TO, amount: 700_001n, mint: 'USDC' });
const tooMuch = await refusal(wallet.transfer({ to: TO, amount: '101', mint: 'USDC' }));
const nowhere = await refusal(wallet.transfer({ to: 'x', amount: '1', mint: 'USDC' }));
const traded = await wallet.trade({ from: 'USDC', to: 'SOL', amount: '25', slippageBps: 100 });
const added = await wallet.liquidity.add({ pool: POOL, token: 'USDC', amount: '5' });
const removed = await wallet.liquidity.remove({ positionId: added.positionId, percent: 100 });
const bought = await wallet.predictions.buy({ ticker: TICKER, side: 'yes', count: 3 });
const sold = await wallet.predictions.sell({ ticker: TICKER, side: 'yes', count: 1 });
const { version } = await wallet.policy.get();
const changed = await wallet.policy.update({ dailyLimitInUsd: 400 }, { version });
const stale = await refusal(wallet.policy.update({ dailyLimitInUsd: 300 }, { version }));
await wallet.policy.update({ approveAboveInUsd: 50 });
const approved = await wallet.transfer({ to: TO, amount: '60', mint: 'USDC' });
const rejected = await refusal(wallet.transfer({ to: TO, amount: '61', mint: 'USDC' }));
const proposed = await wallet.policy.propose({ dailyLimitInUsd: 900 }, 'more');
await wallet.approvals.withdraw(proposed.approval.id);
const approvals = await wallet.approvals.list().all();
const end = await wallet.balances();

console.log(
  JSON.stringify({
    claimed,
    sol: sol.amountRaw,
    usdc: tokens[0].amountRaw,
    dry: [dry.transactionStatus, dry.amountRaw, dry.policy.allowed],
    paid: [first.amountSentRaw, exact.amountSentRaw, first.transactionId === again.transactionId],
    refused: [tooMuch, nowhere],
    traded: [traded.inputAmountRaw, traded.outputAmountRaw],
    liquidity: [raws(added.spent), raws(removed.received)],
    contracts: [bought.count, bought.status, sold.count, sold.status],
    policy: [changed.version - version, changed.policy.dailyLimitInUsd, stale.code, stale.version - version],
    approvals: [approved.amountSentRaw, rejected, approvals.map(({ kind, state }) => `${kind} ${state}`)],
    history: await ended(),
    events: await firstEvents(2),
    left: [end.sol.amountRaw, end.tokens[0].amountRaw],
  }),
);
