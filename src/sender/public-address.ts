import { isIP } from 'node:net'
import { type AddressMatcher, compileCidrs } from '../lib/cidr.ts'

/**
 * The IPv4 networks that are not public: IANA's special-purpose registry, and public addresses that clouds use
 * internally.
 */
const RESERVED_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared (CGNAT); Alibaba's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's WireServer, with a machine's configuration and certificates
  '169.254.0.0/16', // link-local, with the clouds' credentials
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; Oracle's metadata
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // automatic multicast tunneling
  '192.80.8.124/32', // Equinix Metal's metadata
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/** The IPv6 space allocated for the internet. Excludes IPv4-mapped, NAT64, unique local and link-local addresses. */
const GLOBAL_IPV6 = ['2000::/3']

const RESERVED_IPV6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, with an embedded IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]

/** Names that never resolve to public addresses (RFC 6761, RFC 6762, RFC 8375, ICANN's .internal). */
const RESERVED_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid|onion)$/

/** As in `127.0.0.1..`, which a URL parser takes for a name. */
const EMPTY_LABEL = /^\.|\.\.|\.$/

/** Compiled at first use, so that imports are free and unused code is tree-shaken. */
let isReserved: AddressMatcher | undefined
let isGlobalIpv6: AddressMatcher | undefined

/** Whether a text is a public IP address in standard notation. False for everything else, including names. */
export function isPublicIp(text: string): boolean {
  isReserved ??= compileCidrs([...RESERVED_IPV4, ...RESERVED_IPV6], 'reserved')
  isGlobalIpv6 ??= compileCidrs(GLOBAL_IPV6, 'global')
  const family = isIP(text)
  return family !== 0 && !isReserved(text) && (family === 4 || isGlobalIpv6(text))
}

/**
 * Whether an address is on the public internet. False for private, loopback, link-local, unique local, shared (CGNAT),
 * multicast and reserved addresses, for those that clouds use internally, and for IPv6 with an embedded IPv4 address
 * (mapped, NAT64, 6to4, Teredo).
 *
 * Takes an address, or an `http:` or `https:` URL as a customer enters it. Recognises addresses in URLs in any notation
 * (`http://0x7f.1`), and refuses names that never resolve publicly, such as `localhost`. Other names pass. They can
 * resolve differently later, so `deliver` checks them at each attempt.
 *
 * @example
 * ```ts
 * isPublicAddress('https://127.0.0.1/hooks') // false
 * ```
 */
export function isPublicAddress(text: string): boolean {
  if (!text.includes('://')) return isPublicIp(text)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false
  const host = hostOf(url.hostname)
  if (isIP(host) !== 0) return isPublicIp(host)
  return host.includes('.') && !EMPTY_LABEL.test(host) && !RESERVED_NAME.test(host)
}

/** Strips the brackets of IPv6 and the trailing dot of the DNS root. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
