// Does what `npm run clients -- --scenario` compares, through the command line client.
import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../running/process.mjs';

const { API, SANDBOX, STORE, EMAIL, TO, POOL, TICKER } = process.env;
const AW = path.join(root, 'apps/cli/bin/aw.mjs');
const env = { ...process.env, AW_API: API, AW_HOME: STORE };

/** Runs a command. @returns its result, or its refusal */
function aw(...args) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [AW, ...args, '--json'], { env }, (error, out, err) => {
      if (!error) return resolve(JSON.parse(out));
      const lines = err.trim().split('\n');
      try {
        const { code, retry, rule = null, version = null } = JSON.parse(lines.at(-1));
        return resolve({ code, retry, rule, version });
      } catch {
        return reject(new Error(`aw ${args.join(' ')}: ${err}`));
      }
    });
  });
}

const raws = (tokens) => tokens.map(({ symbol, amountRaw }) => `${amountRaw} ${symbol}`);

/** The actions and states of history, the oldest first, once all have ended. */
async function ended() {
  for (;;) {
    const { transactions } = await aw('history', '--limit', '100');
    if (transactions.every(({ status }) => !['pending', 'submitted'].includes(status))) {
      return transactions.reverse().map(({ action, status, amountRaw }) => `${action} ${status} ${amountRaw}`);
    }
    await sleep(200);
  }
}

async function firstEvents(count) {
  const child = spawn(process.execPath, [AW, 'events', '--follow', '--after', '0', '--json'], { env, stdio: 'pipe' });
  const types = [];
  for await (const line of createInterface(child.stdout)) {
    const event = JSON.parse(line);
    if (event.type === 'change') types.push(event.eventType);
    if (types.length === count) break;
  }
  child.kill('SIGINT');
  // Two services wrote them.
  return types.sort();
}

/** Reads the code that was mailed last. */
async function mailedCode() {
  const { messages } = await (await fetch(`${SANDBOX}/inbox?to=${EMAIL}`)).json();
  return messages[0].text.match(/\d{6}/)[0];
}

await aw('login', '--email', EMAIL, '--start');
await aw('login', '--code', await mailedCode());
const { claimed } = await aw('whoami');
const { sol, tokens } = await aw('balance');
const dry = await aw('send', '0.3', 'USDC', TO, '--dry-run');
const first = await aw('send', '0.3', 'USDC', TO, '--key', 'invoice-1');
const again = await aw('send', '0.3', 'USDC', TO, '--key', 'invoice-1');
const exact = await aw('send', '700001', 'USDC', TO, '--raw');
const tooMuch = await aw('send', '101', 'USDC', TO);
const nowhere = await aw('send', '1', 'USDC', 'x');
const traded = await aw('trade', '25', 'USDC', 'SOL', '--slippage-bps', '100');
const added = await aw('liquidity', 'add', POOL, '5', 'USDC');
const removed = await aw('liquidity', 'remove', added.positionId, '100');
const bought = await aw('buy', TICKER, 'yes', '3');
const sold = await aw('sell', TICKER, 'yes', '1');
const { version } = await aw('policy');
const changed = await aw('policy', 'set', 'dailyLimitInUsd', '400', '--version', String(version));
const stale = await aw('policy', 'set', 'dailyLimitInUsd', '300', '--version', String(version));
await aw('policy', 'set', 'approveAboveInUsd', '50');
const approved = await aw('send', '60', 'USDC', TO);
const rejected = await aw('send', '61', 'USDC', TO);
const proposed = await aw('policy', 'propose', 'dailyLimitInUsd', '900', '--note', 'more');
await aw('approvals', 'withdraw', proposed.approval.id);
const { approvals } = await aw('approvals');
const end = await aw('balance');

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
