import type { historyV1 } from '@agent-wallet/contracts';
import { type Clock, formatAmount, systemClock } from '@agent-wallet/kernel';
import { type Input, noSubject, UsageError } from '../command-line.js';
import type { Services } from '../services.js';
import type { Command, Report } from './command.js';
import { type Difference, HistoryComparison } from './history-comparison.js';
import { reconcileLedger } from './ledger.js';

const MINUTE_MS = 60_000;
const DEFAULT_SINCE_MS = 24 * 60 * MINUTE_MS;
/** Time that history may lag before a difference counts, in milliseconds. */
const SETTLE_MS = 5_000;
const MAX_PRINTED = 100;
const MS_DECIMALS = 3;

/** Dependencies that a test may replace. */
interface ReconcileOverrides {
  readonly clock: Clock;
  /** Between the first comparison and the second. */
  readonly settleMs: number;
}

const USAGE = '[--since 24h] [--older-than 1m]';

/** Compares operations in history with those of the services, and reports the events that history could not read. */
export function reconcileHistoryWith({ clock, settleMs }: ReconcileOverrides): Command {
  const windowOf = ({ sinceMs = DEFAULT_SINCE_MS, olderThanMs = MINUTE_MS }: Input) => {
    const nowMs = clock.nowMs();
    return { fromMs: nowMs - sinceMs, untilMs: nowMs - olderThanMs };
  };
  return {
    usage: USAGE,
    help: 'Compares operations in history with those of their services, and lists events that history could not read.',
    check(input) {
      noSubject(input);
      const { fromMs, untilMs } = windowOf(input);
      if (fromMs >= untilMs) throw new UsageError(`${input.command} takes a --since that is longer than --older-than.`);
    },
    async run(input, services) {
      const window = windowOf(input);
      const unreadable = await services.history.listUnprocessableEvents({ limit: MAX_PRINTED });
      const { compared, differences } = await new HistoryComparison(services, settleMs).run(window);
      const [from, until] = [window.fromMs, window.untilMs].map((ms) => new Date(ms).toISOString());
      const more = differences.length - MAX_PRINTED;
      const waited = formatAmount(BigInt(settleMs), MS_DECIMALS);
      return {
        json: { from, until, compared, differences: differences.map(toJson), unreadable: unreadableJson(unreadable) },
        lines: [
          `Compared operations from ${from} to ${until}: ${compared}.`,
          ...differences.slice(0, MAX_PRINTED).map(lineOf),
          ...(more > 0 ? [`… and ${more} more`] : []),
          ...unreadable.events.map(unreadableLine),
          ...(differences.length === 0 && unreadable.total === 0n ? ['History agrees.'] : []),
        ],
        failure: failureOf(
          differences.length === 0 ? '' : `HISTORY DIFFERS in ${differences.length}, still after ${waited} s.`,
          unreadable.total === 0n ? '' : `HISTORY COULD NOT READ ${unreadable.total} of the events.`,
        ),
      };
    },
  };
}

export const reconcileHistory: Command = reconcileHistoryWith({ clock: systemClock, settleMs: SETTLE_MS });

/** The command that runs both comparisons. */
export const reconcile: Command = {
  usage: USAGE,
  help: 'Runs ledger reconcile and history reconcile.',
  check: (input) => reconcileHistory.check?.(input),
  async run(input: Input, services: Services): Promise<Report> {
    const ledger = await reconcileLedger.run(input, services);
    const history = await reconcileHistory.run(input, services).catch(notCompared);
    return {
      json: { ledger: ledger.json, history: history.json },
      lines: [...ledger.lines, '', ...history.lines],
      failure: history.failure,
    };
  },
};

/** Returns the report of a failed comparison of history. The comparison of the ledger does not depend on it. */
function notCompared(error: Error): Report {
  const failure = `History was not compared: ${error.message}`;
  return { json: { failure }, lines: [], failure };
}

const toJson = ({ what, service, history }: Difference) => ({
  difference: what.toLowerCase().replace(' ', '_'),
  operationId: service.operationId,
  agentId: service.agentId,
  action: service.action,
  service: { state: service.state, revision: service.revision },
  history: history ? { status: history.status, revision: history.revision } : null,
});

function failureOf(...sentences: readonly string[]): string | undefined {
  return sentences.filter((sentence) => sentence !== '').join(' ') || undefined;
}

function unreadableJson({ events, total }: historyV1.ListUnprocessableEventsResponse) {
  const shown = events.map(({ recordedAtMs, ...event }) => ({ ...event, recordedAt: isoTime(recordedAtMs) }));
  return { total: Number(total), events: shown };
}

function unreadableLine({ eventId, agentId, reason, recordedAtMs }: historyV1.UnprocessableEvent): string {
  return `UNREADABLE  ${eventId}  agent ${agentId}  ${isoTime(recordedAtMs)}  ${reason}`;
}

const isoTime = (ms: bigint): string => new Date(Number(ms)).toISOString();

function lineOf({ what, service, history }: Difference): string {
  const { operationId, action, agentId, state, revision } = service;
  const inService = `service: ${state} (revision ${revision})`;
  const inHistory = history ? `history: ${history.status} (revision ${history.revision})` : 'not in history';
  return `${what}  ${operationId}  ${action}  agent ${agentId}  ${inService}, ${inHistory}`;
}
