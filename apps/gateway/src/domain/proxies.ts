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
  }
  return list;
}

/** Returns the length of a prefix. A block of length 0 would let every client name its own address. */
function bitsOf(prefix: string): number {
  const bits = /^\d+$/.test(prefix) ? Number(prefix) : 0;
  if (bits === 0) throw new Error(`/${prefix} is not the length of a proxies' block`);
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
