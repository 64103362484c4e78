import { isUuid } from '@agent-wallet/kernel';
import { parseArgs } from 'node:util';

/** The arguments of one command. */
export interface Input {
  /** The command as it was typed, for messages: `freezes create`. */
  readonly command: string;
  /** Its one argument: an agent, an operation, a location, or `all`. */
  readonly subject: string | undefined;
  readonly reason: string | undefined;
  /** Decimal text, in dollars. */
  readonly amount: string | undefined;
  /** Operator who runs the command, for the audit log. */
  readonly operator: string;
  /** Undefined when omitted. */
  readonly olderThanMs: number | undefined;
  /** Length of the period to look back, in milliseconds; undefined when omitted. */
  readonly sinceMs: number | undefined;
  /** Whether only open operations are meant. */
  readonly open: boolean;
  /** Whose freeze is meant: `operator` or `owner`; undefined when omitted. */
  readonly source: string | undefined;
  /** Whether to take an act back that is not in effect. */
  readonly withdraw: boolean;
}

/** A command line, taken apart. */
export interface CommandLine {
  /** Up to two words: a noun, and a verb. */
  readonly words: readonly string[];
  readonly wantsHelp: boolean;
  /** Returns the input of the command that has this many words. @throws UsageError */
  inputOf(wordCount: number): Input;
}

/** The command line is wrong; the message says how. */
export class UsageError extends Error {}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** Its milliseconds must fit into 32 bits. */
const MAX_HOURS = 1_000;

/** Takes a command line apart. @param user the operator, unless `--operator` names one. @throws UsageError */
export function readCommandLine(args: readonly string[], user: string): CommandLine {
  const { values, positionals } = parse(args);
  const inputOf = (wordCount: number): Input => {
    const [subject, ...more] = positionals.slice(wordCount);
    if (more.length > 0) throw new UsageError(`${more[0]} is one argument too many.`);
    return {
      command: positionals.slice(0, wordCount).join(' '),
      subject,
      reason: values.reason,
      amount: values.amount,
      operator: values.operator ?? user,
      olderThanMs: durationMs('older-than', values['older-than']),
      sinceMs: durationMs('since', values.since),
      open: values.open ?? false,
      source: values.source,
      withdraw: values.withdraw ?? false,
    };
  };
  return {
    words: positionals.slice(0, 2),
    wantsHelp: values.help ?? false,
    inputOf,
  };
}

function parse(args: readonly string[]) {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
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
        open: flag,
        source: text,
        withdraw: flag,
        json: flag,
        help: { ...flag, short: 'h' },
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

/** Returns the agent that the command names; empty for all agents. @throws UsageError */
export function agentOf({ command, subject }: Input): string {
  if (subject === 'all') return '';
  if (!subject || !isUuid(subject)) throw new UsageError(`${command} takes the ID of an agent (a UUID), or all.`);
  return subject;
}

/** Returns the operation that the command names. @throws UsageError */
export function operationOf({ command, subject }: Input): string {
  if (!subject || !isUuid(subject)) throw new UsageError(`${command} takes the ID of an operation (a UUID).`);
  return subject;
}

/** Returns the approval that the command names. @throws UsageError */
export function approvalOf({ command, subject }: Input): string {
  if (!subject || !isUuid(subject)) throw new UsageError(`${command} takes the ID of a recovery (a UUID).`);
  return subject;
}

/** Returns the one agent that the command names. @throws UsageError */
export function oneAgentOf({ command, subject }: Input): string {
  if (!subject || !isUuid(subject)) throw new UsageError(`${command} takes the ID of an agent (a UUID).`);
  return subject;
}

/** Rejects an argument where the command takes none. @throws UsageError */
export function noSubject({ command, subject }: Input): void {
  if (subject !== undefined) throw new UsageError(`${command} takes no argument, but got ${subject}.`);
}

/** Returns the reason, which the audit log records with every change. @throws UsageError */
export function reasonOf({ command, reason }: Input): string {
  if (!reason?.trim()) throw new UsageError(`${command} takes --reason "…", for the audit log.`);
  return reason;
}
