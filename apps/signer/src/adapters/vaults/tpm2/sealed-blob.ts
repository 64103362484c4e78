import { z } from 'zod';
import { VaultError } from '../../../ports/vault.js';
import { parsePcrSelection, type PcrSelection } from './pcr-selection.js';

const FORMAT = 'agent-wallet/tpm2-sealed/v1';
const base64 = () => z.base64().transform((text) => Buffer.from(text, 'base64'));
const BLOB = z.strictObject({
  format: z.literal(FORMAT),
  srk: z.string(),
  pcrs: z.string(),
  public: base64(),
  private: base64(),
});

/** A sealed object, as it may lie anywhere. Only the TPM that made it can load it. */
interface SealedBlob {
  /** Name of the storage root key above it, in hex. */
  readonly srk: string;
  /** The registers that it is sealed to. Names them only: the policy itself is in `public`, and the TPM's to check. */
  readonly pcrs: PcrSelection;
  /** TPM2B_PUBLIC. */
  readonly public: Buffer;
  /** TPM2B_PRIVATE: encrypted by the TPM. */
  readonly private: Buffer;
}

export function encodeSealedBlob(blob: SealedBlob): Buffer {
  return Buffer.from(
    JSON.stringify({
      format: FORMAT,
      srk: blob.srk,
      pcrs: blob.pcrs.text,
      public: blob.public.toString('base64'),
      private: blob.private.toString('base64'),
    }),
  );
}

/** @throws VaultError for what `encodeSealedBlob` does not make */
export function decodeSealedBlob(sealed: Uint8Array): SealedBlob {
  try {
    const blob = BLOB.parse(JSON.parse(Buffer.from(sealed).toString('utf8')));
    return { ...blob, pcrs: parsePcrSelection(blob.pcrs) };
  } catch (cause) {
    throw new VaultError('this is nothing that a TPM sealed, or it was altered', { cause });
  }
}
