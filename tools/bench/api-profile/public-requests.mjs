// What is asked of the public API, by k6.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../process.mjs';

const SCRIPT = path.join(import.meta.dirname, 'requests.k6.js');

/** Each route that agents use most, as an agent would ask; `to` is somebody outside. */
export function publicRequests({ to }) {
  const transfer = { to, amount: 0.01, mint: 'USDC' };
  return [
    { name: 'GET …/policy', path: '/wallets/me/policy' },
    { name: 'GET …/policy/usage', path: '/wallets/me/policy/usage' },
    { name: 'GET …/balances', path: '/wallets/me/balances' },
    { name: 'GET …/history', path: '/wallets/me/history?limit=20' },
    { name: 'GET /tokens/USDC', path: '/tokens/USDC' },
    { name: 'GET /predictions/balance', path: '/predictions/balance' },
    { name: 'GET /predictions/markets', path: '/predictions/markets?limit=20' },
    { name: 'POST …/transfer?dryRun', path: '/wallets/me/actions/transfer?dryRun=true', body: transfer },
    { name: 'POST …/transfer', path: '/wallets/me/actions/transfer', body: transfer },
  ];
}

/** Asks for `seconds`; resolves to `{ count, failures, p50Ms, p99Ms }`. */
export async function askByK6({ program, directory, callers, seconds }, { url, body, tokens }) {
  const requestPath = path.join(directory, 'request.json');
  const method = body ? 'POST' : 'GET';
  await writeFile(requestPath, JSON.stringify({ url, method, body, tokens }), { mode: 0o600 });
  const variables = ['-e', `REQUEST_PATH=${requestPath}`, '-e', `RUN=${randomUUID()}`];
  const extent = ['--vus', String(callers), '--duration', `${seconds}s`];
  const quiet = ['--quiet', '--no-usage-report', '--no-color', '--log-output', 'none'];
  const { code, output } = await run([program, 'run', ...quiet, ...extent, ...variables, SCRIPT], { capture: true });
  if (code !== 0) throw new Error(`k6 failed: ${output}`);
  return JSON.parse(output);
}
