import { isIPv6 } from 'node:net';

/**
 * Returns what rate limits count as one client: a whole IPv4 address, or the first 64 bits of an IPv6 address. The
 * holder of one IPv6 address usually holds all that share these bits.
 */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1] as string;
  if (!isIPv6(address)) return address;
  return `${expand(address).slice(0, 4).join(':')}::/64`;
}

/**
 * Returns the network that a list of sessions shows: the first 24 bits of an IPv4 address, the first 48 of an IPv6 address.
 * A holder recognizes a foreign network by it; it does not identify a household.
 * @param client what `clientNetwork` returned
 */
export function sessionNetwork(client: string): string {
  if (!client.includes(':')) return `${client.split('.').slice(0, 3).join('.')}.0/24`;
  return `${client.split(':').slice(0, 3).join(':')}::/48`;
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
function expand(address: string): string[] {
  const bare = address.replace(/%.*$/, '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, '0:0');
  const [head = '', tail] = bare.split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after].map((g) => parseInt(g, 16).toString(16));
}
