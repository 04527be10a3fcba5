import ipaddr from 'ipaddr.js'

/** All that is handed out of IPv6 for use on the internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Where a cloud answers its own machines although the address is handed out for the internet. All others are in the ranges. */
const CLOUD_INTERNAL = new Set([
  '168.63.129.16', // Azure's WireServer: the configuration and the certificates of a machine
  '192.80.8.124', // Equinix Metal's metadata
])

/**
 * Whether an address is one of the public internet: not private, loopback, link-local, unique local, shared (CGNAT),
 * multicast, reserved, one that a cloud keeps for itself, and no IPv6 form that carries an IPv4 address inside it (mapped,
 * NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast' || CLOUD_INTERNAL.has(address.toString())) return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
}
