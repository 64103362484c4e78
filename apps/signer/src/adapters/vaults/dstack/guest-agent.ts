import { withTimeout } from '@agent-wallet/kernel';
import { VaultError } from '../../../ports/vault.js';
import { WRAPPING_KEY_BYTES } from '../wrapping-key.js';
import { readTdxQuote, type TdxQuote } from './tdx-quote.js';

/** dstack's guest agent: the part of the confidential VM that derives the app's keys and gives quotes. */
export interface GuestAgent {
  /** Derives 32 bytes that only this app has; the caller wipes them. @throws VaultError */
  deriveKey(): Promise<Buffer>;
  /** Returns a quote over 64 bytes, and the document that a verifier needs. @throws VaultError */
  quote(reportData: Buffer): Promise<{ readonly quote: TdxQuote; readonly document: Buffer }>;
  /** Returns the ID of the app that keys are derived for. @throws VaultError */
  appId(): Promise<string>;
}

/**
 * Path of this key among the app's keys. Another path gives another key, which opens nothing that was sealed before.
 */
const KEY_PATH = 'agent-wallet/signer/data-key';
const KEY_PURPOSE = 'seal';

const REPORT_DATA_BYTES = 64;
const MAX_QUOTE_BYTES = 64 * 1024;
const MAX_DOCUMENT_BYTES = 512 * 1024;

/**
 * Speaks to the agent through dstack's SDK, which is loaded only here. The SDK bounds neither time nor size in a way that
 * fits: calls are abandoned after `timeoutMs`, and answers that are too large are refused when they have come.
 * @param endpoint a socket's path, or the URL of a simulator
 */
export async function connectGuestAgent(endpoint: string, timeoutMs: number): Promise<GuestAgent> {
  const { DstackClient } = await import('@phala/dstack-sdk');
  const ask = async <Answer>(what: string, call: (client: InstanceType<typeof DstackClient>) => Promise<Answer>) => {
    try {
      return await withTimeout(timeoutMs, call(new DstackClient(endpoint)));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message.slice(0, 200) : 'unknown';
      throw new VaultError(`dstack's guest agent at ${endpoint} gave no ${what} (${why}); is its socket mounted?`);
    }
  };
  return {
    deriveKey: async () => {
      const { key } = await ask('key', (client) => client.getKey(KEY_PATH, KEY_PURPOSE));
      if (key.length === WRAPPING_KEY_BYTES) return Buffer.from(key.buffer, key.byteOffset, key.byteLength);
      throw new VaultError(`dstack's guest agent at ${endpoint} gave a key of ${key.length} bytes; it must have 32`);
    },
    quote: async (reportData) => {
      const answer = await ask('quote', (client) => client.getQuote(reportData));
      return readResponse(answer, reportData, endpoint);
    },
    appId: async () => {
      const { app_id: appId } = await ask('app id', (client) => client.info());
      if (typeof appId === 'string' && /^[0-9a-zA-Z]{8,80}$/.test(appId)) return appId;
      throw new VaultError(`dstack's guest agent at ${endpoint} names no app`);
    },
  };
}

function readResponse(
  answer: { readonly quote: unknown; readonly event_log: unknown; readonly vm_config?: unknown },
  reportData: Buffer,
  endpoint: string,
) {
  const { quote: hex, event_log: eventLog, vm_config: vmConfig } = answer;
  const isText = typeof hex === 'string' && hex.length <= MAX_QUOTE_BYTES * 2;
  const document = Buffer.from(JSON.stringify({ quote: hex, event_log: eventLog, vm_config: vmConfig }));
  if (!isText || document.length > MAX_DOCUMENT_BYTES) {
    throw new VaultError(`dstack's guest agent at ${endpoint} gave a quote that is too large, or none`);
  }
  const quote = parseQuote(Buffer.from(hex.replace(/^0x/, ''), 'hex'), endpoint);
  if (reportData.length !== REPORT_DATA_BYTES || !quote.reportData.equals(reportData)) {
    throw new VaultError(`dstack's guest agent at ${endpoint} gave a quote that says something else than it was asked`);
  }
  return { quote, document };
}

function parseQuote(bytes: Buffer, endpoint: string): TdxQuote {
  try {
    return readTdxQuote(bytes);
  } catch (cause) {
    throw new VaultError(`dstack's guest agent at ${endpoint} gave something else than a TDX quote of version 4`, {
      cause,
    });
  }
}
