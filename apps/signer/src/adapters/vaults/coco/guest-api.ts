import { isTimeout, jsonOf } from '@agent-wallet/kernel';
import { VaultError } from '../../../ports/vault.js';
import { WRAPPING_KEY_BYTES } from '../wrapping-key.js';

/** The REST API that a confidential container finds in its guest: the Confidential Data Hub and the Attestation Agent. */
export interface GuestApi {
  /** Returns the wrapping key that the key broker released to this guest; the caller wipes it. @throws VaultError */
  wrappingKey(): Promise<Buffer>;
  /** Returns evidence over up to 64 characters, as the guest's TEE makes it. @throws VaultError */
  evidence(runtimeData: string): Promise<Buffer>;
  /** Returns the kind of TEE that the guest reports; undefined when it reports none. */
  tee(): Promise<string | undefined>;
}

/** Address of the API, and the resource requested from it. */
export interface GuestApiAddress {
  readonly baseUrl: string;
  /** `repository/type/tag` of the wrapping key. */
  readonly resource: string;
  readonly timeoutMs: number;
}

const MAX_KEY_BYTES = 1024;
const MAX_INFO_BYTES = 16 * 1024;
const MAX_EVIDENCE_BYTES = 512 * 1024;

export function guestApi({ baseUrl, resource, timeoutMs }: GuestApiAddress): GuestApi {
  const get = (path: string, maxBytes: number) => fetchBytes(new URL(path, baseUrl), { maxBytes, timeoutMs });
  return {
    wrappingKey: async () => {
      const key = await get(`/cdh/resource/${resource}`, MAX_KEY_BYTES);
      if (key.length === WRAPPING_KEY_BYTES) return key;
      key.fill(0);
      throw new VaultError(
        `the key broker's resource ${resource} has ${key.length} bytes; put 32 random bytes there, not their hex or base64`,
      );
    },
    evidence: async (runtimeData) => {
      const evidence = await get(`/aa/evidence?runtime_data=${encodeURIComponent(runtimeData)}`, MAX_EVIDENCE_BYTES);
      if (evidence.length > 0) return evidence;
      throw new VaultError('the attestation agent gave no evidence; the API server must run with --features all');
    },
    tee: async () => {
      const info = await get('/info', MAX_INFO_BYTES).catch(() => undefined);
      const said = jsonOf(info?.toString('utf8') ?? '') as { readonly tee?: unknown } | null | undefined;
      return typeof said?.tee === 'string' ? said.tee.slice(0, 40) : undefined;
    },
  };
}

async function fetchBytes(
  url: URL,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
): Promise<Buffer> {
  const asked = `GET ${url.origin}${url.pathname}`;
  let response: Response;
  try {
    response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return await readBytes(response, maxBytes);
  } catch (cause) {
    const why = isTimeout(cause) ? `had no whole answer within ${timeoutMs} ms` : 'was not answered properly';
    throw new VaultError(`${asked} ${why}; does the guest's API server run, and can it reach the key broker?`, {
      cause,
    });
  }
  await response.body?.cancel();
  throw new VaultError(
    `${asked} was answered ${response.status}: the key broker may not know the resource, or not accept this guest's evidence`,
  );
}

/** Reads the bytes of a response, and leaves no other copy of them. */
async function readBytes(response: Response, maxBytes: number): Promise<Buffer> {
  const bytes = Buffer.alloc(maxBytes);
  let size = 0;
  for await (const chunk of (response.body as AsyncIterable<Uint8Array> | null) ?? []) {
    if (size + chunk.length > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    bytes.set(chunk, size);
    size += chunk.length;
    chunk.fill(0);
  }
  return bytes.subarray(0, size);
}
