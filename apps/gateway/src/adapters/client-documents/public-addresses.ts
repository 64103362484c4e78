import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not globally routable unicast, or stand for relays and sinks (IANA's special-purpose list). */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Special networks within 2000::/3: protocol assignments with Teredo, documentation, 6to4, and AS112. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

/** Prefixes of 96 bits before an IPv4 address: mapped addresses, and NAT64 as DNS64 resolvers return it (RFC 6052). */
const EMBEDDING_IPV4 = ['::ffff:', '64:ff9b::'];

const special = new BlockList();
const unicast = new BlockList();

unicast.addSubnet('2000::', 3, 'ipv6');
for (const prefix of EMBEDDING_IPV4) unicast.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6');
for (const [network, bits] of SPECIAL_IPV6) special.addSubnet(network, bits, 'ipv6');
for (const [network, bits] of SPECIAL_IPV4) {
  special.addSubnet(network, bits, 'ipv4');
  for (const prefix of EMBEDDING_IPV4) special.addSubnet(`${prefix}${network}`, 96 + bits, 'ipv6');
}

/** Reports whether an address is globally routable unicast; an IPv6 address with an IPv4 one inside counts as that. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return unicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}
