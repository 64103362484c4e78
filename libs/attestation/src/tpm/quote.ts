import { AttestationRefused } from '../attestation-refused.js';
import { TpmReader } from './tpm-reader.js';

/** Magic number of TPM structures: a TPM's keys sign no other data that begins with it. */
const TPM_GENERATED_VALUE = 0xff544347;
const TPM_ST_ATTEST_QUOTE = 0x8018;
const CLOCK_INFO_BYTES = 17;
const FIRMWARE_VERSION_BYTES = 8;
const MAX_BANKS = 16;
/** 32 registers: more than any TPM has. */
const MAX_SELECT_BYTES = 4;
const BITS = 8;

/** The banks of registers that are known, by their algorithm, and how long their values are. */
const BANKS: ReadonlyMap<number, { readonly name: string; readonly bytes: number }> = new Map([
  [0x0004, { name: 'sha1', bytes: 20 }],
  [0x000b, { name: 'sha256', bytes: 32 }],
  [0x000c, { name: 'sha384', bytes: 48 }],
  [0x000d, { name: 'sha512', bytes: 64 }],
]);

/** One register of one bank. */
export interface SelectedPcr {
  /** sha1, sha256 … */
  readonly bank: string;
  readonly index: number;
  /** Length of its value. */
  readonly bytes: number;
}

/** Content of a TPM quote. */
interface Quote {
  readonly extraData: Buffer;
  /** In the order in which their values are hashed. */
  readonly selection: readonly SelectedPcr[];
  readonly pcrDigest: Buffer;
}

/** Reads a TPMS_ATTEST of a quote; nothing else is taken. @throws AttestationRefused malformed */
export function readQuote(attest: Buffer): Quote {
  const reader = new TpmReader('attest', attest);
  if (reader.u32() !== TPM_GENERATED_VALUE) throw malformed('attest was not made by a TPM');
  if (reader.u16() !== TPM_ST_ATTEST_QUOTE) throw malformed('attest is not a quote');
  reader.sized(); // qualifiedSigner: the key is known by its public half
  const extraData = reader.sized();
  reader.take(CLOCK_INFO_BYTES);
  reader.take(FIRMWARE_VERSION_BYTES);
  const selection = readSelection(reader);
  const pcrDigest = reader.sized();
  reader.end();
  return { extraData, selection, pcrDigest };
}

function readSelection(reader: TpmReader): SelectedPcr[] {
  const count = reader.u32();
  if (count > MAX_BANKS) throw malformed('attest selects too many banks');
  return Array.from({ length: count }, () => readBank(reader)).flat();
}

function readBank(reader: TpmReader): SelectedPcr[] {
  const bank = BANKS.get(reader.u16());
  if (!bank) throw malformed('attest selects a bank that is not known');
  const size = reader.u8();
  if (size > MAX_SELECT_BYTES) throw malformed('attest selects too many registers');
  const bits = reader.take(size);
  const indices = Array.from({ length: size * BITS }, (_, index) => index);
  return indices
    .filter((index) => ((bits[Math.floor(index / BITS)]! >> (index % BITS)) & 1) === 1)
    .map((index) => ({ bank: bank.name, index, bytes: bank.bytes }));
}

function malformed(message: string): AttestationRefused {
  return new AttestationRefused('malformed', message);
}
