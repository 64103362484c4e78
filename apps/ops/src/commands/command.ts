import type { Input } from '../command-line.js';
import type { Services } from '../services.js';

/** What a command found or did, in both forms. */
export interface Report {
  /** For programs: printed as JSON with `--json`. A bigint becomes a decimal string. */
  readonly json: unknown;
  /** For people. */
  readonly lines: readonly string[];
  /** What differs, or what failed after the rest was done: one sentence. The exit code is 1 then. */
  readonly failure?: string | undefined;
}

/** One command of an operator: `noun verb`. */
export interface Command {
  /** Its argument and options, as `--help` shows them: `<agent|all> --reason TEXT`. */
  readonly usage: string;
  /** What it does, for `--help`. */
  readonly help: string;
  /** Finds mistakes before any service is called. @throws UsageError */
  check?(input: Input): void;
  /** @throws AppError from the services */
  run(input: Input, services: Services): Promise<Report>;
}
