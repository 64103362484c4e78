// What is asked of services by gRPC, by ghz, with the certificate of the service that asks it in the product.
import path from 'node:path';
import { root, run } from '../../process.mjs';

const PROTO = path.join(root, 'proto');
const NS_PER_MS = 1e6;

/** The calls behind the routes that agents use most. */
export function internalCalls({ agentId, to }) {
  const own = { agent_id: agentId };
  const order = { ...own, to, token: 'USDC', amount: '0.01' };
  return [
    call('wallet', 'WalletService/GetBalances', own),
    call('wallet', 'WalletService/PreviewTransfer', order),
    call('wallet', 'WalletService/Transfer', { ...order, operation_id: '{{.UUID}}', wait_ms: 10_000 }),
    call('policy', 'PolicyService/GetPolicy', own),
    call('policy', 'PolicyService/GetUsage', own),
    call('history', 'HistoryService/ListTransactions', { ...own, limit: 20 }),
    call('prediction', 'CatalogService/ListMarkets', { ...own, limit: 20 }, 'catalog'),
  ];
}

function call(service, method, request, file = service) {
  const name = `${service} ${method.slice(method.indexOf('/') + 1)}`;
  const proto = `agentwallet/${service}/v1/${file}.proto`;
  return { name, service, method: `agentwallet.${service}.v1.${method}`, proto, request };
}

/**
 * Calls for `seconds`, as the one whose `certificate` is shown, over as many connections as a service of the product has
 * to another: one. Resolves to `{ count, failures, p50Ms, p99Ms }`.
 */
export async function callByGhz(
  { program, callers, seconds, certificate },
  { address, service, method, proto, request },
) {
  const { caPath, certPath, keyPath } = certificate;
  const { code, output } = await run(
    [
      program,
      ...['--proto', path.join(PROTO, proto), '--import-paths', PROTO, '--call', method],
      ...['--cacert', caPath, '--cert', certPath, '--key', keyPath, '--cname', service],
      ...['--data', JSON.stringify(request), '--concurrency', String(callers), '--duration', `${seconds}s`],
      // What is under way at the end is answered before ghz ends: nothing is broken off.
      ...['--duration-stop', 'wait', '--format', 'json', address],
    ],
    { capture: true },
  );
  if (code !== 0) throw new Error(`ghz failed: ${output}`);
  return summaryOf(JSON.parse(output.slice(output.indexOf('{'))));
}

function summaryOf({ count, statusCodeDistribution = {}, latencyDistribution }) {
  const ms = (percentage) =>
    (latencyDistribution?.find((found) => found.percentage === percentage)?.latency ?? Number.NaN) / NS_PER_MS;
  return { count, failures: count - (statusCodeDistribution.OK ?? 0), p50Ms: ms(50), p99Ms: ms(99) };
}
