import type { Input } from '../command-line.js';
import type { Services } from '../services.js';

/** Result of a command, in both forms. */
export interface Report {
  /** For programs: printed as JSON with `--json`. A bigint becomes a decimal string. */
  readonly json: unknown;
  /** For people. */
  readonly lines: readonly string[];
  /** Difference, or failure after the rest was done: one sentence. The exit code is then 1. */
  readonly failure?: string | undefined;
}

/** One command of an operator: `noun verb`. */
export interface Command {
  /** Its argument and options, as `--help` shows them: `<agent|all> --reason TEXT`. */
  readonly usage: string;
  /** Description for `--help`. */
  readonly help: string;
  /** Finds mistakes before any service is called. @throws UsageError */
  check?(input: Input): void;
  /** @throws AppError from the services */
  run(input: Input, services: Services): Promise<Report>;
}
