import { type predictionV1 } from '@agent-wallet/contracts';
import { AmountError, formatAmount, parseUsd, USD_DECIMALS } from '@agent-wallet/kernel';
import { operationOf, type Order, reasonOf, UsageError } from '../command-line.js';
import type { Print } from '../print.js';
import type { Command } from './command.js';

const CONTRACT_DECIMALS = 2;

const dollars = (micros: bigint) => `${formatAmount(micros, USD_DECIMALS)} dollars`;

/** Where money is in suspense. @throws UsageError */
function placeOf({ command, subject }: Order): string {
  if (subject === 'treasury' || subject === 'exchange') return subject;
  throw new UsageError(`${command} takes treasury or exchange.`);
}

/** Micro-dollars; 0 for all. @throws UsageError */
function amountOf({ command, amount }: Order): bigint {
  if (amount === undefined) return 0n;
  try {
    const micros = parseUsd(amount);
    if (micros > 0n) return micros;
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
  }
  throw new UsageError(`${command} takes --amount in dollars, such as 10000 or 0.000001.`);
}

/** Prints the books of prediction money. A figure may be off while money is on its way: that alone is no failure. */
export const compareBooks: Command = {
  async run(_order, { books }, print) {
    const answer = await books.reconcile({});
    print(`${answer.complete ? 'all compared' : 'NOT ALL COMPARED'}, ${new Date(Number(answer.atMs)).toISOString()}`);
    answer.comparisons.forEach((comparison) => print(lineOf(comparison)));
    print('');
    for (const { kind, balanceUsdMicros, accounts } of answer.accounts)
      print(`${kind.padEnd(20)} ${formatAmount(balanceUsdMicros, USD_DECIMALS).padStart(24)}  ${accounts} in use`);
    print(`${'sum'.padEnd(20)} ${formatAmount(answer.trialBalanceUsdMicros, USD_DECIMALS).padStart(24)}`);
    print('');
    print(`${answer.openOperations} operations on their way`);
    print(answer.ordersStoppedBecause ? `ORDERS ARE STOPPED: ${answer.ordersStoppedBecause}` : 'orders are taken');
  },
};

function lineOf({ what, booked, actual, explained, note }: predictionV1.Comparison): string {
  const decimals = what.startsWith('position:') ? CONTRACT_DECIMALS : USD_DECIMALS;
  const [inBooks, outside, difference] = [booked, actual, actual - booked - explained].map((amount) =>
    formatAmount(amount, decimals),
  );
  const verdict = actual - booked === explained ? 'ok' : `DIFFERS BY ${difference}`;
  return [what.padEnd(20), `books ${inBooks}`, `outside ${outside}`, verdict, ...(note ? [note] : [])].join('  ');
}

export const attributeFunds: Command = {
  check(order) {
    placeOf(order);
    amountOf(order);
    reasonOf(order);
  },
  async run(order, { books }, print: Print) {
    const place = placeOf(order);
    const { amountUsdMicros } = await books.attributeFunds({
      ...{ place, amountUsdMicros: amountOf(order) },
      ...{ operator: order.operator, reason: reasonOf(order) },
    });
    if (amountUsdMicros === 0n) print(`nothing is in suspense at the ${place}`);
    else print(`${dollars(amountUsdMicros)} at the ${place} are the operator's`);
  },
};

export const resumeOrders: Command = {
  check: (order) => void reasonOf(order),
  async run(order, { books }, print) {
    const { changed } = await books.resumeOrders({ operator: order.operator, reason: reasonOf(order) });
    print(changed ? "orders are taken again; what was missing is the operator's loss" : 'orders were not stopped');
  },
};

export const giveUpOrder: Command = {
  check(order) {
    operationOf(order);
    reasonOf(order);
  },
  async run(order, { books }, print) {
    const { operator } = order;
    const { changed } = await books.giveUpOrder({ operationId: operationOf(order), operator, reason: reasonOf(order) });
    print(changed ? 'given up: what was paid for it goes back, unless it shows itself' : 'it was given up already');
  },
};
