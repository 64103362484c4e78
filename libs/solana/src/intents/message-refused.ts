/** Reason why a message is not signed. */
export type RefusalReason =
  /** The intent is none that can be checked. */
  | 'intent'
  /** The bytes are not a message, or not the only way to write it. */
  | 'malformed'
  /** Addresses come from tables on chain where none may, or are not those that were permitted. */
  | 'lookup_table'
  /** Someone else pays, or others must sign. */
  | 'signers'
  /** A program that the intent does not need. */
  | 'program'
  /** An instruction that is not the one expected at its place, or one too many or too few. */
  | 'instruction'
  /** An account at an instruction is not the one of the intent. */
  | 'account'
  | 'amount'
  | 'memo'
  /** The route of a swap has a form that cannot be checked, or other terms than the intent's. */
  | 'route'
  /** An account may be written to, or is listed, without need. */
  | 'account_flags'
  /** The network fee is above the limit, or unbounded. */
  | 'network_fee';

/** The message does more, less or something else than its intent says. */
export class MessageRefused extends Error {
  constructor(
    readonly reason: RefusalReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'MessageRefused';
  }
}
