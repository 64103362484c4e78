import { Resolver } from 'node:dns/promises';

/** A network in which documents are fetched. Tests have their own, with names and certificates of their own. */
export interface Network {
  /** Returns all addresses of a host, IPv4 first; empty for an unknown host. Ends when the signal is aborted. */
  lookup(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the address to connect to for an address that was checked. */
  route(checked: string): string;
  readonly port: number;
  /** Certificate authority to trust; undefined for those of Node. */
  readonly ca: string | undefined;
  /** Time limit of a fetch with its DNS queries. */
  readonly withinMs: number;
}

/** The public internet. */
export const INTERNET: Network = { lookup, route: (checked) => checked, port: 443, ca: undefined, withinMs: 5_000 };

/**
 * Queries the DNS itself. `dns.lookup` would occupy threads that files and cryptography need, for as long as a slow name
 * server likes, and would read the hosts file and the search domains of the machine.
 */
async function lookup(host: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
