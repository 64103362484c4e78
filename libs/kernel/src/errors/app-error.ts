import { type ErrorCode, errorEntry } from './catalogue.js';
import type { CommonFacts, ErrorFacts, Facts, FactsOf, Problem } from './error-facts.js';

/** One field that is wrong, by its public name, and why. */
export interface FieldProblem {
  readonly field: string;
  /** Follows the field in a sentence: `must be greater than 0`. */
  readonly reason: string;
  readonly problem: Problem;
  /** Names that the caller may have meant, the likeliest first; at most 3. */
  readonly didYouMean?: readonly string[];
}

interface Options {
  /** Message for the caller; the catalogue's message when omitted. */
  readonly message?: string;
  /** The fields that are wrong. */
  readonly details?: readonly FieldProblem[];
  /** The underlying error; for the log only. */
  readonly cause?: unknown;
}

type Without<Code extends ErrorCode> = [code: Code, options?: Options & { readonly data?: FactsOf<Code> }];
type With<Code extends ErrorCode> = [code: Code, options: Options & { readonly data: FactsOf<Code> }];

/** A code with the facts that belong to it; a code that must have facts cannot go without them. */
type CodeAndFacts = {
  [Code in ErrorCode]: Record<never, never> extends ErrorFacts[Code] ? Without<Code> : With<Code>;
}[ErrorCode];

/** An error of the catalogue: the only kind that a caller ever sees. Its facts are free of secrets. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly FieldProblem[];
  /** The facts of its code, see `ErrorFacts`. */
  readonly data: Facts;

  constructor(...[code, options = {}]: CodeAndFacts) {
    super(options.message ?? errorEntry(code).message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? [];
    this.data = options.data ?? {};
  }

  /** Creates a VALIDATION_ERROR for one field. */
  static field(field: string, reason: string, problem: Problem = 'invalid_format'): AppError {
    return AppError.fields([{ field, reason, problem }]);
  }

  /** Creates a VALIDATION_ERROR for one or more fields. */
  static fields(details: readonly FieldProblem[], cause?: unknown): AppError {
    return new AppError('VALIDATION_ERROR', { message: fieldsMessage(details), details, cause });
  }

  /** Recreates an error that was sent or stored, whose facts were checked at its creation. */
  static received(code: ErrorCode, options: Options & { readonly data?: Facts } = {}): AppError {
    return new AppError(...([code, options] as unknown as CodeAndFacts));
  }

  /** Returns the error with more facts. */
  with(facts: CommonFacts & Facts): AppError {
    const { code, message, details, data, cause } = this;
    return AppError.received(code, { message, details, data: { ...data, ...facts }, cause });
  }
}

/** Describes the first problem as `<field> <what is wrong>.`, with the number of further ones. */
export function fieldsMessage([first, ...more]: readonly FieldProblem[]): string {
  if (!first) throw new RangeError('no field is wrong');
  const sentence = `${first.field} ${first.reason}`;
  const ended = /[.?]$/.test(sentence) ? sentence : `${sentence}.`;
  return more.length > 0 ? `${ended} (and ${more.length} more)` : ended;
}
