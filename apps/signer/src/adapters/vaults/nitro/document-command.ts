import { readNitroDocument } from '@agent-wallet/attestation/nitro';
import { execFile } from 'node:child_process';
import { VaultError } from '../../../ports/vault.js';

/** Requested content of a document. */
interface DocumentRequest {
  /** DER (SPKI) of the key to which answers are encrypted. */
  readonly publicKey?: Uint8Array;
  readonly userData?: Uint8Array;
  readonly nonce?: Uint8Array;
}

/** Gives attestation documents of the enclave that this process runs in. @throws VaultError */
export type DocumentSource = (request: DocumentRequest) => Promise<Buffer>;

/** A document has at most 16 KiB of payload. */
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Documents come from the Nitro Security Module, which Node cannot speak to (an ioctl on /dev/nsm). A small command does:
 * it reads `{"publicKey","userData","nonce"}` (base64, each may be absent) on stdin and writes the document to stdout. It
 * gets no environment and no arguments. What it gives is read, and must say what was asked.
 * @param command absolute path
 */
export function documentsOf(command: string, timeoutMs: number): DocumentSource {
  return async (request) => {
    const document = await run(command, timeoutMs, JSON.stringify(toBase64(request)));
    requireAsked(document, request, command);
    return document;
  };
}

function toBase64(request: DocumentRequest): Record<string, string> {
  const given = Object.entries(request).filter((entry): entry is [string, Uint8Array] => entry[1] !== undefined);
  return Object.fromEntries(given.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]));
}

function run(command: string, timeoutMs: number, input: string): Promise<Buffer> {
  const options = {
    encoding: 'buffer',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
    env: {},
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(command, [], options, (error, stdout) => {
      if (error)
        reject(new VaultError(`${command} ${explainFailure(error, timeoutMs)} (SIGNER_NITRO_DOCUMENT_COMMAND)`));
      else resolve(stdout);
    });
    // A command that ends without reading breaks the pipe; the error above says why it ended.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

function explainFailure({ code, killed }: { code?: unknown; killed?: boolean }, timeoutMs: number): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${MAX_OUTPUT_BYTES} bytes`;
  if (killed) return `gave no document within ${timeoutMs} ms`;
  if (code === 'ENOENT' || code === 'EACCES') return 'is not there, or may not be run';
  return `failed (${String(code)}): does it run in an enclave with /dev/nsm?`;
}

function requireAsked(document: Buffer, request: DocumentRequest, command: string): void {
  let said;
  try {
    said = readNitroDocument(document);
  } catch (cause) {
    throw new VaultError(`${command} gave something else than an attestation document`, { cause });
  }
  const empty = Buffer.alloc(0);
  const isAsked = (['publicKey', 'userData', 'nonce'] as const).every((name) =>
    said[name].equals(request[name] ?? empty),
  );
  if (!isAsked) throw new VaultError(`${command} gave a document that says something else than it was asked`);
}
