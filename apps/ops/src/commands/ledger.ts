import type { predictionV1 } from '@agent-wallet/contracts';
import { AmountError, formatAmount, parseUsd, USD_DECIMALS } from '@agent-wallet/kernel';
import { type Input, noSubject, operationOf, reasonOf, UsageError } from '../command-line.js';
import type { Command } from './command.js';

const CONTRACT_DECIMALS = 2;

const usd = (micros: bigint) => formatAmount(micros, USD_DECIMALS);

/** Reads a location of money in suspense. @throws UsageError */
function locationOf({ command, subject }: Input): string {
  if (subject === 'treasury' || subject === 'exchange') return subject;
  throw new UsageError(`${command} takes treasury or exchange.`);
}

/** Reads an amount in micro-dollars; 0 for all. @throws UsageError */
function amountOf({ command, amount }: Input): bigint {
  if (amount === undefined) return 0n;
  try {
    const micros = parseUsd(amount);
    if (micros > 0n) return micros;
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
  }
  throw new UsageError(`${command} takes --amount in dollars, such as 10000 or 0.000001.`);
}

/** Formats one figure of the ledger beside the same figure at its source, in dollars or contracts. */
function comparisonOf({ subject, ledgerAmount, externalAmount, inFlightAmount, note }: predictionV1.Comparison) {
  const decimals = subject.startsWith('position:') ? CONTRACT_DECIMALS : USD_DECIMALS;
  const text = (amount: bigint) => formatAmount(amount, decimals);
  return {
    subject,
    ledgerAmount: text(ledgerAmount),
    externalAmount: text(externalAmount),
    inFlightAmount: text(inFlightAmount),
    discrepancy: text(externalAmount - ledgerAmount - inFlightAmount),
    note: note || null,
  };
}

function lineOf(comparison: ReturnType<typeof comparisonOf>): string {
  const { subject, ledgerAmount, externalAmount, discrepancy, note } = comparison;
  const result = discrepancy === '0' ? 'ok' : `DIFFERS BY ${discrepancy}`;
  const amounts = [`ledger ${ledgerAmount}`, `external ${externalAmount}`];
  return [subject.padEnd(20), ...amounts, result, ...(note ? [note] : [])].join('  ');
}

/** A figure may differ while money is in flight, so a difference alone does not make the command fail. */
export const reconcileLedger: Command = {
  usage: '',
  help: 'Shows the ledger of prediction money beside the chain and the exchange.',
  check: noSubject,
  async run(_input, { ledger }) {
    const found = await ledger.reconcile({});
    const comparisons = found.comparisons.map(comparisonOf);
    const at = new Date(Number(found.atMs)).toISOString();
    const accounts = found.accounts.map(({ kind, balanceUsdMicros }) => ({ kind, balanceUsd: usd(balanceUsdMicros) }));
    const trialBalanceUsd = usd(found.trialBalanceUsdMicros);
    const ordersHaltedReason = found.ordersHaltedReason || null;
    const { complete, openOperations } = found;
    return {
      json: { complete, at, comparisons, accounts, trialBalanceUsd, openOperations, ordersHaltedReason },
      lines: [
        `${complete ? 'All compared' : 'NOT ALL COMPARED'}, ${at}`,
        ...comparisons.map(lineOf),
        '',
        ...accounts.map(({ kind, balanceUsd }) => `${kind.padEnd(20)} ${balanceUsd.padStart(24)}`),
        `${'sum'.padEnd(20)} ${trialBalanceUsd.padStart(24)}`,
        '',
        `Operations in flight: ${openOperations}.`,
        ordersHaltedReason ? `ORDERS ARE HALTED: ${ordersHaltedReason}` : 'Orders are placed.',
      ],
    };
  },
};

export const attributeFunds: Command = {
  usage: '<treasury|exchange> [--amount DOLLARS] --reason TEXT',
  help: 'Attributes money in suspense to the operator; all of it without --amount.',
  check(input) {
    locationOf(input);
    amountOf(input);
    reasonOf(input);
  },
  async run(input, { ledger }) {
    const location = locationOf(input);
    const { amountUsdMicros } = await ledger.attributeFunds({
      location,
      amountUsdMicros: amountOf(input),
      operator: input.operator,
      reason: reasonOf(input),
    });
    const amountUsd = usd(amountUsdMicros);
    return {
      json: { location: location, amountUsd },
      lines: [
        amountUsdMicros === 0n
          ? `Nothing is in suspense at the ${location}.`
          : `Attributed to the operator: ${amountUsd} dollars at the ${location}.`,
      ],
    };
  },
};

export const resumeOrders: Command = {
  usage: '--reason TEXT',
  help: "Resumes orders that a shortfall has halted. What is still missing is posted as the operator's loss.",
  check(input) {
    noSubject(input);
    reasonOf(input);
  },
  async run(input, { ledger }) {
    const { changed } = await ledger.resumeOrders({ operator: input.operator, reason: reasonOf(input) });
    return {
      json: { changed },
      lines: [
        changed ? "Orders are resumed. What was missing is posted as the operator's loss." : 'Orders were not halted.',
      ],
    };
  },
};

export const abandonOrder: Command = {
  usage: '<operation> --reason TEXT',
  help: 'Abandons an order that the exchange accepted but never showed. Ask the exchange first.',
  check(input) {
    operationOf(input);
    reasonOf(input);
  },
  async run(input, { ledger }) {
    const { operator } = input;
    const operationId = operationOf(input);
    const { changed } = await ledger.abandonOrder({ operationId, operator, reason: reasonOf(input) });
    return {
      json: { operationId, changed },
      lines: [changed ? 'Abandoned. Its escrow is refunded, unless the order appears.' : 'It was abandoned already.'],
    };
  },
};
