import { formatAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import { type BackgroundLoop, type Logger, startLoop } from '@agent-wallet/platform';
import { lasting, unexplainedOf } from '../../domain/ledger/compare.js';
import {
  NO_ENTRY,
  type ReconciliationStore,
  type LocationAmounts,
  type Unexplained,
} from '../../ports/reconciliation-store.js';
import type { Leader } from '../../ports/leader.js';
import { reconcileLedger, type ReconcileLedgerOptions, type Findings } from './reconcile-ledger.js';

/** Dependencies of the ledger watch. */
interface WatchLedgerOptions extends ReconcileLedgerOptions {
  readonly ledger: ReconciliationStore;
  readonly leader: Leader;
  readonly logger: Logger;
}

type Locations = Readonly<Record<keyof LocationAmounts, boolean>>;

const IDLE_MS = 10_000;

/**
 * Reconciles the ledger with chain and exchange again and again. What two rounds in a row cannot explain is acted
 * on: too much goes to suspense, since anyone can send something to the treasury; too little stops new orders.
 */
export class WatchLedger {
  /** Findings of this process's last round; a round of another replica invalidates them. */
  #seen: { readonly round: bigint; readonly hasNoEntry: Locations } | undefined;

  constructor(private readonly options: WatchLedgerOptions) {}

  /** Watches by itself until it is stopped. */
  start(idleMs = IDLE_MS): BackgroundLoop {
    const { leader, logger } = this.options;
    const round = async () => {
      await leader.lead('comparison', () => this.round());
      return false;
    };
    return startLoop({ name: 'comparison', logger, idleMs, round });
  }

  /** Compares, and changes nothing. */
  look(): Promise<Findings> {
    return reconcileLedger(this.options);
  }

  /** Compares once, and acts on what lasts. */
  async round(): Promise<void> {
    const { ledger, logger } = this.options;
    const last = await ledger.last();
    const findings = await reconcileLedger(this.options);
    const found = differencesIn(findings);
    const stays = new Map(
      [...found].map(([subject, now]) => [subject, lasting(last.unexplained.get(subject) ?? 0n, now)]),
    );
    const surplus = amountsOf(stays, 1n);
    const faults = faultsIn(stays);
    const stopBecause = reasonOf(faults);
    const { written, stopped } = await ledger.conclude({
      after: last.round,
      isComplete: findings.complete,
      surplus,
      stopBecause,
      unexplained: withoutSurplus(new Map([...notCompared(findings, last.unexplained), ...found]), surplus),
      shortage: amountsOf(stays, -1n),
    });
    if (!written) return;
    const hasNoEntry = locationsWithoutEntry(findings);
    this.#logSurplus(surplus, this.#seen?.round === last.round ? this.#seen.hasNoEntry : hasNoEntry);
    this.#seen = { round: last.round + 1n, hasNoEntry };
    if (stopBecause) {
      const fields = { event: 'ledger.shortage_found', faults, ordersHaltedNow: stopped } as const;
      logger.error(fields, stopBecause);
    }
    const fields = { event: 'ledger.reconciled', complete: findings.complete, differences: found.size } as const;
    logger.debug(fields, 'Ledger reconciled');
  }

  /** Funds that were found before the first entry of their location are an opening balance, and no surprise. */
  #logSurplus(surplus: LocationAmounts, isOpening: Locations): void {
    const { logger } = this.options;
    for (const location of ['treasury', 'exchange'] as const) {
      const fields = { location, usdMicros: surplus[location].toString() };
      if (surplus[location] === 0n) continue;
      if (isOpening[location])
        logger.info({ event: 'ledger.opening_balance_found', ...fields }, 'Opening balance posted to suspense');
      else logger.warn({ event: 'ledger.surplus_found', ...fields }, 'Unexplained surplus posted to suspense');
    }
  }
}

function locationsWithoutEntry({ picture: { treasuryMark, exchangeMark } }: Findings): Locations {
  return { treasury: treasuryMark === NO_ENTRY, exchange: exchangeMark === NO_ENTRY };
}

function differencesIn({ comparisons }: Findings): Unexplained {
  const differences = comparisons.map((each) => [nameOf(each.subject), unexplainedOf(each)] as const);
  return new Map(differences.filter(([, difference]) => difference !== 0n));
}

/** Returns earlier differences that this round could not compare: they are neither confirmed nor resolved. */
function notCompared({ comparisons }: Findings, before: Unexplained): Unexplained {
  const compared = new Set(comparisons.map(({ subject }) => nameOf(subject)));
  const locationOf = (subject: string) => (subject === 'treasury' ? 'treasury' : 'exchange');
  return new Map([...before].filter(([subject]) => !compared.has(locationOf(subject))));
}

/** Returns the differences without the surplus: money that goes to suspense is explained by that. */
function withoutSurplus(unexplained: Unexplained, surplus: LocationAmounts): Unexplained {
  const taken: Readonly<Record<string, bigint | undefined>> = { ...surplus };
  const left = [...unexplained].map(([subject, difference]) => [subject, difference - (taken[subject] ?? 0n)] as const);
  return new Map(left.filter(([, difference]) => difference !== 0n));
}

const LOCATIONS: Readonly<Record<string, keyof LocationAmounts>> = {
  treasury_usdc: 'treasury',
  exchange_cash: 'exchange',
};
const nameOf = (subject: string): string => LOCATIONS[subject] ?? subject;

function amountsOf(stays: Unexplained, sign: 1n | -1n): LocationAmounts {
  const amountAt = (location: keyof LocationAmounts) => {
    const amount = (stays.get(location) ?? 0n) * sign;
    return amount > 0n ? amount : 0n;
  };
  return { treasury: amountAt('treasury'), exchange: amountAt('exchange') };
}

/** A difference: the source's amount less the ledger's. */
type Fault =
  | { readonly location: keyof LocationAmounts; readonly differenceUsd: string }
  | { readonly ticker: string; readonly differenceContracts: string };

const POSITION = 'position:';
const CONTRACT_DECIMALS = 2;

/** Returns what is missing. Contracts that differ are a fault in either direction: an agent's are missing. */
function faultsIn(stays: Unexplained): Fault[] {
  return [...stays].flatMap(([subject, amount]): Fault[] => {
    if (subject.startsWith(POSITION)) {
      const differenceContracts = formatAmount(amount, CONTRACT_DECIMALS);
      return amount === 0n ? [] : [{ ticker: subject.slice(POSITION.length), differenceContracts }];
    }
    const location = subject === 'treasury' ? 'treasury' : 'exchange';
    return amount < 0n ? [{ location, differenceUsd: formatAmount(amount, USD_DECIMALS) }] : [];
  });
}

function reasonOf(faults: readonly Fault[]): string | undefined {
  const texts = faults.map((fault) =>
    'location' in fault
      ? `${fault.location} by ${fault.differenceUsd} USD`
      : `contracts of ${fault.ticker} by ${fault.differenceContracts}`,
  );
  return texts.length === 0 ? undefined : `Sources differ from the ledger: ${texts.slice(0, 10).join(', ')}.`;
}
