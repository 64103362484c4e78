import { verifyNitroDocument } from '@agent-wallet/attestation/nitro';
import type { NitroEmulator } from '@agent-wallet/attestation/nitro-emulator';
import { createPublicKey, randomBytes } from 'node:crypto';
import { unwrap, wrap } from '../../src/adapters/vaults/wrapping-key.js';
import { type EmulatorResponse, type EmulatorServer, serveEmulator } from './emulator-server.js';
import { envelopedData } from './enveloped-data.js';

/*
 * An emulator of AWS KMS for tests: GenerateDataKey and Decrypt of its JSON API, with one key under a policy that asks for
 * an attested PCR 0. It verifies the document that comes with a request and answers to the document's key only, as CMS. It
 * verifies no signature of a request, and there is no hardware behind it.
 */

export const KMS_KEY_ID = 'arn:aws:kms:eu-central-1:111122223333:key/11111111-2222-3333-4444-555555555555';

type Call = { readonly [field: string]: unknown; readonly CiphertextBlob?: string; readonly KeyId?: string };

export interface KmsEmulator extends EmulatorServer {
  /** PCR 0 that the key's policy asks for, in hex. */
  acceptedPcr0: string;
  /** The bodies of all requests. */
  readonly requests: string[];
  /** Answers instead of the emulator, for as long as it is set. @param answerTo encrypts to the document's key */
  instead:
    | ((operation: string, answerTo: (plaintext: Uint8Array) => Buffer) => EmulatorResponse | undefined)
    | undefined;
}

export async function startKmsEmulator(nitro: NitroEmulator, nowMs: number): Promise<KmsEmulator> {
  const master = randomBytes(32);
  const state = {
    acceptedPcr0: nitro.pcrs[0]!,
    requests: [] as string[],
    instead: undefined as KmsEmulator['instead'],
  };
  const answerTo = (call: Call) => (plaintext: Uint8Array) => {
    const { AttestationDocument: document } = call.Recipient as { readonly AttestationDocument: string };
    const expected = { nowMs, rootSha256: nitro.rootSha256, pcrs: { 0: [state.acceptedPcr0] } };
    const { publicKey } = verifyNitroDocument(Buffer.from(document, 'base64'), expected);
    return envelopedData(plaintext, createPublicKey({ key: publicKey, format: 'der', type: 'spki' }));
  };
  const run = (operation: string, call: Call): EmulatorResponse => {
    const label = JSON.stringify([KMS_KEY_ID, call.EncryptionContext]);
    if (call.KeyId !== KMS_KEY_ID)
      return failure(operation === 'Decrypt' ? 'IncorrectKeyException' : 'NotFoundException');
    const key = operation === 'Decrypt' ? open(master, call.CiphertextBlob, label) : randomBytes(32);
    if (!key) return failure('InvalidCiphertextException');
    const blob = operation === 'Decrypt' ? undefined : wrap(master, key, label).toString('base64');
    const forRecipient = answerTo(call)(key).toString('base64');
    return json({ KeyId: KMS_KEY_ID, CiphertextBlob: blob, CiphertextForRecipient: forRecipient });
  };
  const server = await serveEmulator((request, body) => {
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    state.requests.push(body.toString());
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256')) return failure('MissingAuthenticationToken');
    const call = JSON.parse(body.toString()) as Call;
    try {
      return state.instead?.(operation, answerTo(call)) ?? run(operation, call);
    } catch {
      return failure('AccessDeniedException');
    }
  });
  return Object.assign(state, server);
}

/** An answer of KMS's JSON API. */
export function json(value: unknown, status = 200): EmulatorResponse {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/x-amz-json-1.1' } };
}

function failure(type: string): EmulatorResponse {
  return json({ __type: type, message: 'emulated' }, 400);
}

function open(master: Buffer, blob: string | undefined, label: string): Buffer | undefined {
  try {
    return unwrap(master, Buffer.from(blob ?? '', 'base64'), label);
  } catch {
    return undefined;
  }
}
