import { setting } from '@agent-wallet/platform';
import { type Check, defineCheck, fail, ok, originOf, warn } from './check.js';
import { CHECK_LIMIT_MS } from './examine.js';

const proxy = defineCheck({
  name: 'trusted proxies',
  area: 'proxy',
  settings: { PUBLIC_URL: setting.url('http', 'https'), TRUSTED_PROXIES: setting.text().optional() },
  advice: 'Check PUBLIC_URL or --url, its DNS name, its certificate and the proxy before the gateway.',
  async run({ PUBLIC_URL: url, TRUSTED_PROXIES: trusted }) {
    const response = await fetch(`${originOf(url)}/healthz`, { signal: AbortSignal.timeout(CHECK_LIMIT_MS) });
    await response.body?.cancel();
    if (response.status !== 200)
      return fail(
        `${originOf(url)}/healthz returns ${response.status}`,
        'Check that the proxy passes it to the gateway.',
      );
    // The gateway itself sends neither.
    const via = response.headers.get('via') ?? response.headers.get('server');
    if (via === null) return ok('the response shows no proxy');
    if (trusted) return ok(`the response passed a proxy (${via}), and TRUSTED_PROXIES is set`);
    return warn(
      `the response passed a proxy (${via}), and TRUSTED_PROXIES is not set here`,
      "Set TRUSTED_PROXIES of the gateway to the proxy's addresses: rate limits otherwise count all clients as one.",
    );
  },
});

/** Checks of the proxy before the gateway. */
export const PROXY_CHECKS: readonly Check[] = [proxy];
