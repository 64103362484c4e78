import { isUuid } from '@agent-wallet/kernel';
import { parseArgs } from 'node:util';

/** What an operator asked for. */
export interface Order {
  readonly command: string;
  /** What it is about: an agent, an operation, a place where money is, or `all`. */
  readonly subject: string | undefined;
  readonly reason: string | undefined;
  /** Decimal text, in dollars. */
  readonly amount: string | undefined;
  /** Who asks, for the audit log. */
  readonly operator: string;
  /** Undefined when nobody said. */
  readonly olderThanMs: number | undefined;
  /** How far back; undefined when nobody said. */
  readonly sinceMs: number | undefined;
}

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** Its milliseconds must fit into 32 bits. */
const MAX_HOURS = 1_000;

/** Reads the command line. `help` stands for no order. @throws UsageError */
export function readOrder(args: readonly string[], user: string): Order | 'help' {
  const { values, positionals } = parse(args);
  const [command, subject, ...more] = positionals;
  if (values.help || !command) return 'help';
  if (more.length > 0) throw new UsageError(`${more[0]} is one word too many.`);
  return {
    command,
    subject,
    reason: values.reason,
    amount: values.amount,
    operator: values.operator ?? user,
    olderThanMs: durationMs('older-than', values['older-than']),
    sinceMs: durationMs('since', values.since),
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        reason: text,
        amount: text,
        operator: text,
        'older-than': text,
        since: text,
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function durationMs(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = count && unit ? Number(count) * UNITS_MS[unit]! : Infinity;
  if (ms <= MAX_HOURS * UNITS_MS['h']!) return ms;
  throw new UsageError(`--${option} takes a time like 30s, 5m or 2h, at most ${MAX_HOURS}h.`);
}

/** The agent that a command is about; empty for everything. @throws UsageError */
export function agentOf({ command, subject }: Order): string {
  if (subject === 'all') return '';
  if (!subject || !isUuid(subject)) throw new UsageError(`${command} takes the id of an agent (a UUID), or all.`);
  return subject;
}

/** The operation that a command is about. @throws UsageError */
export function operationOf({ command, subject }: Order): string {
  if (!subject || !isUuid(subject)) throw new UsageError(`${command} takes the id of an operation (a UUID).`);
  return subject;
}

/** Why: what changes something is written down with its reason. @throws UsageError */
export function reasonOf({ command, reason }: Order): string {
  if (!reason?.trim()) throw new UsageError(`${command} takes --reason "…", for the audit log.`);
  return reason;
}
