// Who may reach whom, read from the picture in docs/architecture.md.
import { SERVICES } from './services.mjs';

export const GRPC_PORT = 50051;

/** Where the sandbox plays the upstreams. */
const OUTSIDE = { chain: [8899], aggregator: [8902], prices: [8902], exchange: [8903], mail: [8904] };

/** The chain's stream is for those that watch it move on; policy asks. */
const CHAIN_STREAM = { port: 8900, of: ['wallet', 'swap'] };

/** `[from, to]` of every solid arrow of a page's first Mermaid picture. */
export function arrowsOf(page) {
  const picture = /```mermaid\n([^]*?)```/.exec(page)?.[1] ?? '';
  return picture.split('\n').flatMap((line) => {
    const names = line
      .replaceAll(/\(\[[^\]]*\]\)|\[\([^)]*\)\]/g, '')
      .replaceAll(/-->\|[^|]*\|/g, '-->')
      .split('-->')
      .map((name) => name.trim());
    return names.length < 2 || line.includes('-.') ? [] : names.slice(1).map((to, i) => [names[i], to]);
  });
}

/** The console asks the sandbox for an owner's test money, at the admin API. */
const FAUCET = { from: 'console', port: 8905 };

/**
 * Every `from name:port` that must open, for services and for operators: the arrows between them, the sandbox in place
 * of the upstreams, and each service's database; and the way to the faucet.
 */
export function edgesOf(page) {
  const edges = arrowsOf(page).flatMap(([from, to]) => {
    if (!SERVICES.includes(from) && from !== 'ops') return [];
    if (SERVICES.includes(to)) return [edge(from, to, GRPC_PORT)];
    return (OUTSIDE[to] ?? []).map((port) => edge(from, 'sandbox', port));
  });
  const streams = CHAIN_STREAM.of.map((from) => edge(from, 'sandbox', CHAIN_STREAM.port));
  const databases = SERVICES.map((from) => edge(from, 'postgres', 5432));
  return new Set([...edges, ...streams, ...databases, edge(FAUCET.from, 'sandbox', FAUCET.port)]);
}

/** An edge as text. */
export const edge = (from, to, port) => `${from} ${to}:${port}`;
