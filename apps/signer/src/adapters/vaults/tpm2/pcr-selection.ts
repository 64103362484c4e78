/** Registers of one or more banks, e.g. `sha256:0,7` or `sha256:0,7+sha384:0`: banks as given, registers in rising order. */
export interface PcrSelection {
  readonly banks: ReadonlyArray<{ readonly bank: PcrBank; readonly registers: readonly number[] }>;
  /** As tpm2-tools take it. */
  readonly text: string;
}

type PcrBank = keyof typeof DIGEST_BYTES;

const DIGEST_BYTES = { sha256: 32, sha384: 48, sha512: 64 } as const;
const LAST_REGISTER = 23;
/** Any program may set these back to zero: they measure nothing. */
const RESETTABLE = [16, 23];

/** Reads a selection. @throws Error that says what is wrong with it */
export function parsePcrSelection(text: string): PcrSelection {
  const banks = text.split('+').map((part) => {
    const match = /^(sha256|sha384|sha512):(\d{1,2}(?:,\d{1,2})*)$/.exec(part);
    if (!match) throw new Error('must be like sha256:0,2,4,7 (banks sha256, sha384 or sha512, joined by +)');
    const registers = match[2]!.split(',').map(Number);
    for (const register of registers) {
      if (register > LAST_REGISTER) throw new Error(`there is no register ${register}`);
      if (RESETTABLE.includes(register)) throw new Error(`register ${register} can be reset by any program`);
    }
    return { bank: match[1] as PcrBank, registers: [...new Set(registers)].sort((a, b) => a - b) };
  });
  if (new Set(banks.map(({ bank }) => bank)).size < banks.length) throw new Error('names a bank twice');
  return { banks, text: banks.map(({ bank, registers }) => `${bank}:${registers.join(',')}`).join('+') };
}

/**
 * Names the values that a TPM gave of a selection, one after the other; undefined when it left some out, as it does
 * with banks that it does not keep.
 */
export function namePcrValues(
  { banks }: PcrSelection,
  values: Uint8Array,
): Record<string, Record<string, string>> | undefined {
  const rest = Buffer.from(values);
  let at = 0;
  const named = banks.map(({ bank, registers }) => {
    const ofBank = registers.map((register) => {
      const value = rest.subarray(at, (at += DIGEST_BYTES[bank]));
      return [String(register), value.toString('hex')] as const;
    });
    return [bank, Object.fromEntries(ofBank)] as const;
  });
  return at === rest.length ? Object.fromEntries(named) : undefined;
}
