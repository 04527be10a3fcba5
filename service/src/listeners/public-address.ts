import ipaddr from 'ipaddr.js'

/** All that is handed out of IPv6 for use on the internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address is one of the public internet: not private, loopback, link-local, unique local, shared (CGNAT),
 * multicast, reserved, and no IPv6 form that carries an IPv4 address inside it (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
}
