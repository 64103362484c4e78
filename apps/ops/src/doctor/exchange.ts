import { formatAmount, USD_DECIMALS } from '@agent-wallet/kernel';
import { balanceResponse, readKalshiError, signKalshiRequest, statusResponse } from '@agent-wallet/kalshi';
import { setting } from '@agent-wallet/platform';
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Check, defineCheck, fail, ok, originOf, warn } from './check.js';
import { CHECK_LIMIT_MS } from './examine.js';

const BASE_URL = { KALSHI_BASE_URL: setting.url('http', 'https') };
const RUNBOOK = 'docs/runbooks/upstream-error-rate-high.md';
const UNREACHABLE = `Check KALSHI_BASE_URL and the way to it: ${RUNBOOK}.`;

interface Response {
  readonly status: number;
  readonly body: unknown;
}

async function get(baseUrl: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(CHECK_LIMIT_MS),
  });
  const body: unknown = await response.json().catch(() => undefined);
  return { status: response.status, body };
}

const status = defineCheck({
  name: 'status',
  area: 'exchange',
  settings: BASE_URL,
  advice: UNREACHABLE,
  async run({ KALSHI_BASE_URL: url }) {
    const response = await get(url, '/exchange/status');
    const read = statusResponse.safeParse(response.body);
    if (response.status !== 200 || !read.success)
      return fail(`${originOf(url)} has no status of an exchange (HTTP status ${response.status})`, UNREACHABLE);
    if (read.data.tradingActive) return ok(`trading is active at ${originOf(url)}`);
    return warn(`trading is paused at ${originOf(url)}`, 'Wait: the exchange has hours and maintenance.');
  },
});

const key = defineCheck({
  name: 'key',
  area: 'exchange',
  settings: { ...BASE_URL, KALSHI_API_KEY_ID: setting.text(), KALSHI_PRIVATE_KEY_PATH: setting.path() },
  advice: `Check KALSHI_BASE_URL, and that KALSHI_PRIVATE_KEY_PATH holds an RSA key (PEM): ${RUNBOOK}.`,
  async run({ KALSHI_BASE_URL: url, KALSHI_API_KEY_ID: id, KALSHI_PRIVATE_KEY_PATH: file }, { clock }) {
    const privateKey = createPrivateKey(await readFile(file));
    const path = `${new URL(url).pathname.replace(/\/+$/, '')}/portfolio/balance`;
    const headers = signKalshiRequest({ id, privateKey }, { method: 'GET', path, timestampMs: clock.nowMs() });
    const response = await get(url, '/portfolio/balance', headers);
    const read = balanceResponse.safeParse(response.body);
    if (response.status === 200 && read.success)
      return ok(`accepted; the account has ${formatAmount(read.data.cashUsdMicros, USD_DECIMALS)} dollars`);
    const { code, message } = readKalshiError(response.body);
    return fail(
      `rejected with HTTP status ${response.status}${code && `: ${code} ${message}`.trimEnd()}`,
      `Check KALSHI_API_KEY_ID, its private key, and the time of this machine, which is signed: ${RUNBOOK}.`,
    );
  },
});

/** Checks of the exchange for predictions. */
export const EXCHANGE_CHECKS: readonly Check[] = [status, key];
