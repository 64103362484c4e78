import { BlockList, isIP } from 'node:net';

/** Returns the list of these addresses and CIDR blocks. @throws Error for one that is neither, or that has all addresses */
export function proxyList(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', prefix, ...rest] = text.split('/');
    const family = familyOf(address);
    if (!family || rest.length > 0) throw new Error(`${text} is neither an address nor a block`);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, bitsOf(prefix), family);
    if (EVERYWHERE.every((each) => isOnList(list, each))) throw new Error(`${text} has all addresses`);
  }
  return list;
}

/** Addresses at both ends of IPv4, which also a block of IPv6 can have: `::ffff:0.0.0.0/96`. */
const EVERYWHERE = ['0.0.0.0', '255.255.255.255'];

/** No network of proxies is wider. */
const LEAST_BITS = 8;

/** Returns the length of a prefix. A wide block would let clients in it name their own address. */
function bitsOf(prefix: string): number {
  const bits = /^\d+$/.test(prefix) ? Number(prefix) : 0;
  if (bits < LEAST_BITS) throw new Error(`/${prefix} is not the length of a proxies' block`);
  return bits;
}

/** Reports whether an address is on the list, also where it is of IPv4 and written as one of IPv6. */
export function isOnList(list: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && list.check(address, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(address);
  if (family === 0) return undefined;
  return family === 4 ? 'ipv4' : 'ipv6';
}
