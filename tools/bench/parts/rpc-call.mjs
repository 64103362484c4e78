// Bare part: a JSON-RPC call over HTTP to a bare node:http server.
import { fileURLToPath } from 'node:url';
import { closing } from '../measure/closing.mjs';
import { openHttpCaller } from '../measure/http-caller.mjs';
import { startPeer } from '../measure/peer.mjs';

const CALLERS = 32;
const SERVER = fileURLToPath(new URL('rpc-call-server.mjs', import.meta.url));
/** As long as a transfer's. */
const TRANSACTION = Buffer.alloc(330, 7).toString('base64');

/** Three a transfer: accounts, sending, outcome. Both ends count. */
export async function openRpcCall() {
  const { pid, port } = await startPeer(SERVER);
  const caller = closing(openHttpCaller(`http://127.0.0.1:${port}`, CALLERS), () => caller.close());
  let id = 0;
  const call = async () => {
    const params = [TRANSACTION, { encoding: 'base64', skipPreflight: true, maxRetries: 0 }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method: 'sendTransaction', params });
    const { text } = await caller.post('/', body);
    if (JSON.parse(text).result.length === 0) throw new Error('the bare node answered without a result');
  };
  return { name: 'JSON-RPC call over HTTP', times: 3, callers: CALLERS, call, isPeer: (p) => p.pid === pid };
}
