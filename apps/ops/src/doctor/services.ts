import { CLIENT_TLS_VARIABLES, clientTls, loadTls, type ServiceName, setting } from '@agent-wallet/platform';
import { openHealthClient } from '../services.js';
import { type Check, defineCheck, fail, ok, originOf } from './check.js';
import { CHECK_LIMIT_MS } from './examine.js';

const RUNBOOK = 'docs/runbooks/service-down.md';

const ADDRESSES = {
  POLICY_ADDRESS: 'policy',
  WALLET_ADDRESS: 'wallet',
  SWAP_ADDRESS: 'swap',
  PREDICTION_ADDRESS: 'prediction',
  HISTORY_ADDRESS: 'history',
  SIGNER_ADDRESS: 'signer',
  GATEWAY_GRPC_ADDRESS: 'gateway',
} as const satisfies Readonly<Record<string, ServiceName>>;

function serviceCheck(variable: keyof typeof ADDRESSES): Check {
  const service = ADDRESSES[variable];
  return defineCheck({
    name: service,
    area: 'services',
    settings: { [variable]: setting.address(), ...CLIENT_TLS_VARIABLES },
    advice: `Check that ${service} runs, ${variable} names it, and one authority signed both certificates: ${RUNBOOK}.`,
    async run(settings) {
      const address = (settings as Readonly<Record<string, string>>)[variable]!;
      const client = openHealthClient({ address, service }, await loadTls(clientTls(settings)));
      try {
        const { status } = await client.check();
        if (status === 'SERVING') return ok(`serves at ${address}`);
        return fail(`answers ${status} at ${address}`, `It is starting, stopping, or lacks what it needs: ${RUNBOOK}.`);
      } finally {
        client.close();
      }
    },
  });
}

const readiness = defineCheck({
  name: 'readiness',
  area: 'services',
  settings: { PUBLIC_URL: setting.url('http', 'https') },
  advice: `Check PUBLIC_URL or --url, its DNS name, its certificate and the proxy before the gateway: ${RUNBOOK}.`,
  async run({ PUBLIC_URL: url }) {
    const response = await fetch(`${originOf(url)}/readyz`, { signal: AbortSignal.timeout(CHECK_LIMIT_MS) });
    await response.body?.cancel();
    if (response.status === 200) return ok(`ready at ${originOf(url)}`);
    return fail(
      `${originOf(url)}/readyz returns ${response.status}`,
      `The gateway does not reach its database or a service, or the URL is not the gateway's: ${RUNBOOK}.`,
    );
  },
});

/** Checks of the services that the environment names. */
export const SERVICE_CHECKS: readonly Check[] = [
  ...(Object.keys(ADDRESSES) as Array<keyof typeof ADDRESSES>).map(serviceCheck),
  readiness,
];
