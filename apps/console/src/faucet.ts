import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 1_000;
const TIMEOUT_MS = 30_000;

/**
 * Passes a request for test money on to the sandbox, whose admin API answers no page of another origin.
 * @returns the HTTP status
 */
export async function pourTestMoney(request: IncomingMessage, sandboxAdminUrl: string): Promise<number> {
  // A form of another site cannot send this type without asking first.
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) return 415;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return 413;
    chunks.push(chunk);
  }
  const response = await fetch(`${sandboxAdminUrl}/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.concat(chunks),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  return response?.status ?? 502;
}
