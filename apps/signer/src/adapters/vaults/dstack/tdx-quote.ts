/**
 * Fields that a vault reads of an Intel TDX quote. Nothing is verified here: that is up to those who receive the quote.
 */
export interface TdxQuote {
  /** Requested content of the quote: 64 bytes. */
  readonly reportData: Buffer;
  /** The public half of the key that signed it: x ‖ y of P-256, 64 bytes. */
  readonly attestationKey: Buffer;
  /** Whether the machine's operator may read the guest's memory. */
  readonly isDebug: boolean;
}

// Intel's TDX DCAP quote, version 4: a header of 48 bytes, a TD report body of 584, the length of what follows, then the
// signature and the key of it.
const VERSION = 4;
const HEADER_BYTES = 48;
const ATTRIBUTES_AT = HEADER_BYTES + 120;
const REPORT_DATA_AT = HEADER_BYTES + 520;
const BODY_END = HEADER_BYTES + 584;
const KEY_AT = BODY_END + 4 + 64;
const KEY_END = KEY_AT + 64;

/** TUD.DEBUG, the lowest bit of the TD's attributes. */
const DEBUG_BIT = 1;

/** @throws Error when it is not a quote of version 4 */
export function readTdxQuote(quote: Buffer): TdxQuote {
  if (quote.length < KEY_END || quote.readUInt16LE(0) !== VERSION)
    throw new Error('this is not a TDX quote of version 4');
  return {
    reportData: quote.subarray(REPORT_DATA_AT, BODY_END),
    attestationKey: quote.subarray(KEY_AT, KEY_END),
    isDebug: (quote[ATTRIBUTES_AT]! & DEBUG_BIT) !== 0,
  };
}
