import { pipeline, type Readable, Transform } from 'node:stream';
import { VaultError } from '../../../ports/vault.js';

/** The two calls to AWS KMS that the vault lives on. Both answer to the key in an attestation document, never in clear. */
export interface Kms {
  /** Creates a wrapping key: as KMS keeps it, and encrypted for the enclave. @throws VaultError */
  generateDataKey(document: Buffer): Promise<{ readonly blob: Buffer; readonly forRecipient: Buffer }>;
  /** Decrypts `blob`, and returns its content encrypted for the enclave. @throws VaultError */
  decrypt(blob: Uint8Array, document: Buffer): Promise<Buffer>;
}

/** The key, its KMS, and the time that a response may take. */
export interface KmsAddress {
  readonly region: string;
  readonly endpoint: string;
  readonly keyId: string;
  readonly timeoutMs: number;
}

const MAX_RESPONSE_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 3_000;
const ATTEMPTS = 2;
const KEY_SPEC = 'AES_256';

/** Bound to what KMS keeps, and seen in AWS's audit log. */
const CONTEXT = { purpose: 'agent-wallet/data-key/v1' };

/** Opens KMS by AWS's SDK, which is loaded only here; credentials come from where the SDK looks for them. */
export async function connectKms({ region, endpoint, keyId, timeoutMs }: KmsAddress): Promise<Kms> {
  const { KMSClient, GenerateDataKeyCommand, DecryptCommand } = await import('@aws-sdk/client-kms');
  const client = new KMSClient({
    region,
    endpoint,
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      bound(result.response);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'boundedAnswers' },
  );
  const to = (document: Buffer) => ({
    KeyId: keyId,
    EncryptionContext: CONTEXT,
    Recipient: { AttestationDocument: document, KeyEncryptionAlgorithm: 'RSAES_OAEP_SHA_256' as const },
  });
  const ask = <Answer extends KmsResponse>(
    what: string,
    call: (options: { abortSignal: AbortSignal }) => Promise<Answer>,
  ) => answered(what, call({ abortSignal: AbortSignal.timeout(timeoutMs) }));
  return {
    generateDataKey: async (document) => {
      const command = new GenerateDataKeyCommand({ ...to(document), KeySpec: KEY_SPEC });
      const answer = await ask('GenerateDataKey', (options) => client.send(command, options));
      return { blob: bytesOf(answer.CiphertextBlob), forRecipient: bytesOf(answer.CiphertextForRecipient) };
    },
    decrypt: async (blob, document) => {
      const command = new DecryptCommand({ ...to(document), CiphertextBlob: blob });
      return bytesOf((await ask('Decrypt', (options) => client.send(command, options))).CiphertextForRecipient);
    },
  };
}

interface KmsResponse {
  readonly Plaintext?: Uint8Array;
}

/** Errors of the SDK are reported by name: they contain the answer, which a false KMS may have filled with a key. */
async function answered<Answer extends KmsResponse>(what: string, call: Promise<Answer>): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await call;
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    throw new VaultError(`AWS KMS did not answer ${what} (${name}): ${ADVICE[name] ?? OTHER_ADVICE}`);
  }
  if (!answer.Plaintext?.length) return answer;
  answer.Plaintext.fill(0);
  throw new VaultError(`AWS KMS answered ${what} in clear: the server at SIGNER_NITRO_KMS_ENDPOINT ignores recipients`);
}

const POLICY =
  'its policy must allow this role kms:GenerateDataKey and kms:Decrypt under kms:RecipientAttestation conditions';
const ADVICE: Readonly<Record<string, string>> = {
  AccessDeniedException: `the key refuses this enclave; ${POLICY} that name this image's PCRs`,
  NotFoundException: 'SIGNER_NITRO_KMS_KEY_ID names no key of this region',
  DisabledException: 'the key is disabled; enable it',
  KMSInvalidStateException: 'the key cannot be used in its state; look whether it is about to be deleted',
  IncorrectKeyException: 'the data key was sealed under another KMS key; name that one in SIGNER_NITRO_KMS_KEY_ID',
  InvalidCiphertextException: 'what was sealed is damaged, or was sealed by something else',
  CredentialsProviderError: 'there are no AWS credentials in the enclave',
};
const OTHER_ADVICE = 'can the enclave reach the endpoint, through its proxy?';

function bytesOf(bytes: Uint8Array | undefined): Buffer {
  if (bytes?.length) return Buffer.from(bytes);
  throw new VaultError('AWS KMS left out what it was asked for; does SIGNER_NITRO_KMS_ENDPOINT lead to KMS?');
}

/** Cuts an answer off that is too long, before the SDK has collected it. */
function bound(response: unknown): void {
  const answer = response as { body?: Readable };
  if (!answer.body) return;
  let size = 0;
  const limiter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) done(new Error(`an answer of KMS is longer than ${MAX_RESPONSE_BYTES} bytes`));
      else done(null, chunk);
    },
  });
  answer.body = pipeline(answer.body, limiter, () => undefined);
}
