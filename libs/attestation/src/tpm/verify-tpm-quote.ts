import { createHash } from 'node:crypto';
import { AttestationRefused } from '../attestation-refused.js';
import type { EvidenceVerifier } from '../evidence.js';
import { fromBase64, fromPem, readDocument, requireKey } from '../one-form.js';
import { readQuote, type SelectedPcr } from './quote.js';
import { isTpmSignature } from './tpm-signature.js';

/** A policy's requirements for TPMs. */
export interface AcceptedTpm {
  /** SHA-256 of each attestation key's SubjectPublicKeyInfo in DER, in hex. */
  readonly attestationKeys: readonly string[];
  /** `sha256:7` → the values that it may have, in lower-case hex. At least one: otherwise nothing would be measured. */
  readonly pcrs: Readonly<Record<string, readonly string[]>>;
}

/**
 * Verifies evidence of the format `tpm2-quote/v1`: a quote over the binding, by an attestation key that is accepted, of
 * registers with values that are accepted.
 */
export const verifyTpmQuote: EvidenceVerifier<AcceptedTpm> = ({ keyId, document }, { binding }, accepted) => {
  const members = readDocument(document, ['attest', 'signature', 'pcrs', 'ak']);
  const attest = fromBase64('attest', members['attest']);
  const key = fromPem('ak', members['ak']);
  requireKey(key, keyId, accepted.attestationKeys);
  if (!isTpmSignature(fromBase64('signature', members['signature']), attest, key)) {
    throw new AttestationRefused('wrong_signature', 'the quote is not signed by its attestation key');
  }
  const { extraData, selection, pcrDigest } = readQuote(attest);
  if (!extraData.equals(binding)) {
    throw new AttestationRefused('wrong_binding', 'the quote was made for another nonce or another boot');
  }
  const values = valuesOf(members['pcrs'], selection);
  const digest = createHash('sha256');
  for (const value of values.values()) digest.update(value);
  if (!digest.digest().equals(pcrDigest)) {
    throw new AttestationRefused('wrong_measurement', 'the values of the PCRs are not those that were quoted');
  }
  requirePcrs(values, accepted.pcrs);
};

/** Returns the values of exactly the quoted registers, by `bank:index`, in the order of the quote. */
function valuesOf(pcrs: unknown, selection: readonly SelectedPcr[]): Map<string, Buffer> {
  const values = new Map<string, Buffer>();
  const given = typeof pcrs === 'object' && pcrs !== null ? (pcrs as Record<string, unknown>) : {};
  const banks = Object.values(given).map((bank) => (typeof bank === 'object' && bank !== null ? bank : {}));
  for (const { bank, index, bytes } of selection) {
    const value = (given[bank] as Record<string, unknown> | undefined)?.[String(index)];
    if (typeof value !== 'string' || !/^[0-9a-f]*$/.test(value) || value.length !== 2 * bytes) {
      throw new AttestationRefused('malformed', `the value of PCR ${bank}:${index} is missing or not in its one form`);
    }
    values.set(`${bank}:${index}`, Buffer.from(value, 'hex'));
  }
  const named = banks.reduce((count, bank) => count + Object.keys(bank).length, 0);
  if (named !== values.size) throw new AttestationRefused('malformed', 'PCRs are named that were not quoted');
  return values;
}

function requirePcrs(values: ReadonlyMap<string, Buffer>, accepted: AcceptedTpm['pcrs']): void {
  const names = Object.keys(accepted);
  if (names.length === 0) throw new AttestationRefused('wrong_measurement', 'no PCR is named that a TPM must have');
  for (const name of names) {
    const measured = values.get(name)?.toString('hex') ?? 'not quoted';
    if (!accepted[name]!.includes(measured)) {
      throw new AttestationRefused('wrong_measurement', `PCR ${name} is ${measured}, which is not accepted`);
    }
  }
}
