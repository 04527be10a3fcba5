// Gets only IPv6 text that was checked here, because it is lenient: `010.0.0.1` would be 8.0.0.1, and `127.1` loopback.
import ipaddr from 'ipaddr.js'
import { ListenerConfigError } from '../errors.ts'

/** Whether an address is in one of the networks. */
export type AddressMatcher = (address: string) => boolean

/** An address as 16-bit groups: two for IPv4, eight for IPv6. */
type Groups = readonly number[]

const IPV4 = /^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/
const IPV6_CHARACTERS = /^[0-9a-f:]+$/i
const LONGEST_ADDRESS = 45

function parseIpv4(text: string): Groups | undefined {
  const octets = IPV4.exec(text)
  if (octets === null) return undefined
  const a = Number(octets[1])
  const b = Number(octets[2])
  const c = Number(octets[3])
  const d = Number(octets[4])
  return a > 255 || b > 255 || c > 255 || d > 255 ? undefined : [a * 256 + b, c * 256 + d]
}

/** Rewrites `::ffff:10.0.0.1` as `::ffff:a00:1`. */
function withoutDottedQuad(text: string): string | undefined {
  const start = text.lastIndexOf(':') + 1
  const quad = parseIpv4(text.slice(start))
  return quad && text.slice(0, start) + quad.map((group) => group.toString(16)).join(':')
}

function parseIpv6(text: string): Groups | undefined {
  const plain = text.includes('.') ? withoutDottedQuad(text) : text
  if (plain === undefined || !IPV6_CHARACTERS.test(plain) || !ipaddr.IPv6.isValid(plain)) return undefined
  return ipaddr.IPv6.parse(plain).parts
}

/** Whether this is an IPv4-mapped IPv6 address, `::ffff:0:0/96` (RFC 4291 2.5.5.2). */
function isMapped(groups: Groups): boolean {
  return groups.length === 8 && groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
}

/** Undefined for anything but a plain address, e.g. with a zone, a port, brackets or a lenient spelling. */
function parseAddress(text: string): Groups | undefined {
  if (text.length > LONGEST_ADDRESS) return undefined
  if (!text.includes(':')) return parseIpv4(text)
  // Fast path: dual-stack sockets report every IPv4 peer this way.
  const groups = (text.startsWith('::ffff:') && parseIpv4(text.slice(7))) || parseIpv6(text)
  return groups && isMapped(groups) ? groups.slice(6) : groups
}

/** A plain IPv4 or IPv6 address in strict notation, as logs show it: IPv4 in its own form. Undefined for anything else. */
export function plainAddress(text: string): string | undefined {
  const groups = parseAddress(text)
  return groups?.length === 2 ? show(groups) : groups && text
}

/**
 * The network that counts as one sender: an IPv4 address, or the /64 of an IPv6 address, which one host can fill. An empty
 * string for an unknown address.
 */
export function networkOf(address: string | undefined): string {
  return (address === undefined ? undefined : parseAddress(address))?.slice(0, 4).join(':') ?? ''
}

/** The bits of group `index` that a prefix of `length` covers. */
function maskAt(index: number, length: number): number {
  const bits = Math.min(16, Math.max(0, length - 16 * index))
  return (0xffff << (16 - bits)) & 0xffff
}

function show(groups: Groups): string {
  if (groups.length === 8) return new ipaddr.IPv6([...groups]).toString()
  return groups.flatMap((group) => [group >> 8, group & 255]).join('.')
}

interface Rule {
  readonly network: Groups
  readonly prefix: number
}

function compileRule(text: unknown, option: string): Rule {
  const shown = typeof text === 'string' ? JSON.stringify(text) : typeof text
  const refuse = (problem: string) => new ListenerConfigError(option, `${shown} ${problem}`)
  const [, address = '', digits = ''] = /^([^/]*)\/(0|[1-9][0-9]{0,2})$/.exec(String(text)) ?? []
  const written = address.length > LONGEST_ADDRESS ? undefined : (parseIpv4(address) ?? parseIpv6(address))
  if (typeof text !== 'string' || written === undefined) {
    const bare = typeof text === 'string' ? parseAddress(text) : undefined
    const example = bare ? `${show(bare)}/${bare.length * 16}` : '192.0.2.0/24 or 2001:db8::/32'
    throw refuse(`is not a CIDR rule; write it like ${example}`)
  }
  const mapped = isMapped(written) && Number(digits) >= 96
  const network = mapped ? written.slice(6) : written
  const prefix = mapped ? Number(digits) - 96 : Number(digits)
  if (prefix > network.length * 16) throw refuse(`has a prefix longer than ${network.length * 16} bits`)
  if (prefix === 0) throw refuse('allows every address; leave the option out')
  const masked = network.map((group, index) => group & maskAt(index, prefix))
  if (masked.some((group, index) => group !== network[index])) {
    throw refuse(`has bits set behind its prefix; did you mean ${show(masked)}/${prefix}?`)
  }
  return { network, prefix }
}

function covers(rule: Rule, groups: Groups): boolean {
  return (
    rule.network.length === groups.length &&
    rule.network.every((group, index) => group === ((groups[index] ?? 0) & maskAt(index, rule.prefix)))
  )
}

/**
 * Compiles CIDR rules. The matcher returns false for text that is not an address, and never throws.
 * IPv4-mapped IPv6 counts as IPv4, in addresses and in rules. Other embeddings (`::10.0.0.1`, NAT64) do not.
 *
 * @throws ListenerConfigError for a rule that is not exactly one network. The message shows the corrected rule.
 */
export function compileCidrs(rules: readonly string[], option: string): AddressMatcher {
  if (!Array.isArray(rules) || rules.length === 0) {
    throw new ListenerConfigError(option, 'must list at least one rule, like ["192.0.2.0/24"]')
  }
  const compiled = rules.map((rule, index) => compileRule(rule, `${option}[${index}]`))
  // Caches the last answer: most deliveries come from the same address as the one before.
  let lastAddress = ''
  let lastAnswer = false
  return (address) => {
    if (address === lastAddress) return lastAnswer
    const groups = parseAddress(address)
    lastAnswer = groups !== undefined && compiled.some((rule) => covers(rule, groups))
    lastAddress = address
    return lastAnswer
  }
}
