import { createHmac, randomBytes } from 'node:crypto';
import { type EmulatorResponse, type EmulatorServer, serveEmulator } from './emulator-server.js';

/*
 * Emulates dstack's guest agent for tests: its HTTP API on a Unix socket, keys from a secret made for the test, and
 * quotes in Intel's format without Intel's signature. There is no TDX behind it.
 */

export interface DstackEmulator extends EmulatorServer {
  /** Answers instead of the emulator, for as long as it is set. */
  instead: ((path: string) => EmulatorResponse | undefined) | undefined;
}

/** The secret of one key management, which gives apps with the same id the same keys in any VM. */
const dstackKeyManagement = randomBytes(32);

export async function startDstackEmulator(
  socketPath: string,
  { appId, debug = false }: { readonly appId: string; readonly debug?: boolean },
): Promise<DstackEmulator> {
  const answer = (path: string, body: Record<string, string>): unknown => {
    switch (path) {
      case '/Info':
        return { app_id: appId, instance_id: '01', app_name: 'emulated', tcb_info: '{}' };
      case '/Version':
        return { version: '0.5.8', rev: 'emulator' };
      case '/GetKey': {
        const from = JSON.stringify([appId, body.path, body.purpose]);
        return { key: createHmac('sha256', dstackKeyManagement).update(from).digest('hex'), signature_chain: [] };
      }
      case '/GetQuote':
        return {
          quote: emulatedQuote(body.report_data ?? '', debug).toString('hex'),
          event_log: '[]',
          vm_config: '{}',
        };
      default:
        return { error: `the emulator knows no ${path}` };
    }
  };
  const state = { instead: undefined as DstackEmulator['instead'] };
  const server = await serveEmulator((request, body) => {
    const path = request.url ?? '';
    const given = JSON.parse(body.toString() || '{}') as Record<string, string>;
    return state.instead?.(path) ?? { body: JSON.stringify(answer(path, given)) };
  }, socketPath);
  return Object.assign(state, server);
}

/** A quote of version 4 as far as its fields go: the report data as asked, zero-padded, and a key that signed nothing. */
export function emulatedQuote(reportData: string, debug = false): Buffer {
  const quote = Buffer.alloc(1_024);
  quote.writeUInt16LE(4, 0);
  quote[48 + 120] = debug ? 1 : 0;
  Buffer.from(reportData, 'hex').copy(quote, 48 + 520);
  quote.fill(0xab, 48 + 584 + 4 + 64, 48 + 584 + 4 + 128);
  return quote;
}
