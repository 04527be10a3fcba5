import { ListenerConfigError } from '../errors.ts'

/** Whether an address is in one of the networks. */
export type AddressMatcher = (address: string) => boolean

/** An address as a text of its bits: 32 of IPv4, 128 of IPv6. */
type Bits = string

const IPV4 = /^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/
const GROUP = /^[0-9a-f]{1,4}$/i
const LONGEST_ADDRESS = 45

const bitsOf = (value: number, count: number) => value.toString(2).padStart(count, '0')

function parseIpv4(text: string): Bits | undefined {
  const octets = IPV4.exec(text)?.slice(1).map(Number)
  return octets?.every((octet) => octet <= 255) ? octets.map((octet) => bitsOf(octet, 8)).join('') : undefined
}

/** `::` stands for one or more groups of zeros, and the last two may be written as IPv4 (RFC 4291 2.2). */
function parseIpv6(text: string): Bits | undefined {
  const [before = '', after, another] = text.split('::').map(bitsIn)
  const bits = before + (after?.padStart(128 - before.length, '0') ?? '')
  const hasRoom = after === undefined || before.length + after.length < 128
  return hasRoom && another === undefined && /^[01]{128}$/.test(bits) && !/\..*:/.test(text)
    ? bits
    : undefined
}

/** The bits of some groups as text. An invalid group becomes `x`. */
const bitsIn = (text: string): Bits =>
  text === ''
    ? ''
    : text
        .split(':')
        .map((part) => parseIpv4(part) ?? groupIn(part))
        .join('')

const groupIn = (text: string) => (GROUP.test(text) ? bitsOf(Number.parseInt(text, 16), 16) : 'x')

/** Whether this is an IPv4-mapped IPv6 address, `::ffff:0:0/96` (RFC 4291 2.5.5.2). */
const isMapped = (bits: Bits) => bits.length === 128 && /^0{80}1{16}/.test(bits)

/** Undefined for anything but a plain address, e.g. with a zone, a port, brackets or a lenient spelling. */
function parseAddress(text: string): Bits | undefined {
  if (text.length > LONGEST_ADDRESS) return undefined
  // Dual-stack sockets report every IPv4 peer with the prefix.
  const bits = parseIpv4(text.startsWith('::ffff:') ? text.slice(7) : text) ?? parseIpv6(text)
  return bits && isMapped(bits) ? bits.slice(96) : bits
}

/** A plain IPv4 or IPv6 address in strict notation, as logs show it: IPv4 in its own form. Undefined for anything else. */
export function plainAddress(text: string): string | undefined {
  const bits = parseAddress(text)
  return bits?.length === 32 ? show(bits) : bits && text
}

/**
 * The network that counts as one sender: an IPv4 address, or the /64 of an IPv6 address, which one host can fill. An empty
 * string for an unknown address.
 */
export function networkOf(address: string | undefined): string {
  return (address === undefined ? undefined : parseAddress(address))?.slice(0, 64) ?? ''
}

function show(bits: Bits): string {
  const numbers = (pattern: RegExp) =>
    Array.from(bits.match(pattern) ?? [], (part) => Number.parseInt(part, 2))
  if (bits.length === 32) return numbers(/.{8}/g).join('.')
  const groups = numbers(/.{16}/g).map((group) => group.toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1) // in its shortest form (RFC 5952)
}

/** The bits that its addresses begin with, and how many these have. */
interface Rule {
  readonly network: Bits
  readonly length: number
}

function compileRule(given: unknown, option: string): Rule {
  const text = typeof given === 'string' ? given : ''
  const refuse = (problem: string) => new ListenerConfigError(option, `${JSON.stringify(text)} ${problem}`)
  const [, address = '', digits = ''] = /^([^/]*)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? []
  const written = address.length > LONGEST_ADDRESS ? undefined : (parseIpv4(address) ?? parseIpv6(address))
  if (written === undefined) {
    const bare = parseAddress(text)
    const example = bare ? `${show(bare)}/${bare.length}` : '192.0.2.0/24 or 2001:db8::/32'
    throw refuse(`is not a CIDR rule; write it like ${example}`)
  }
  const mapped = isMapped(written) && Number(digits) >= 96 ? 96 : 0
  const bits = written.slice(mapped)
  const prefix = Number(digits) - mapped
  if (prefix > bits.length) throw refuse(`has a prefix longer than ${bits.length} bits`)
  if (prefix === 0) throw refuse('allows every address; leave the option out')
  const network = bits.slice(0, prefix)
  if (bits.slice(prefix).includes('1')) {
    throw refuse(
      `has bits set behind its prefix; did you mean ${show(network.padEnd(bits.length, '0'))}/${prefix}?`,
    )
  }
  return { network, length: bits.length }
}

/**
 * Compiles CIDR rules. The matcher returns false for text that is not an address, and never throws.
 * IPv4-mapped IPv6 counts as IPv4, in addresses and in rules. Other embeddings (`::10.0.0.1`, NAT64) do not.
 *
 * @throws ListenerConfigError for a rule that is not exactly one network. The message shows the corrected rule.
 */
export function compileCidrs(rules: readonly string[], option: string): AddressMatcher {
  if (!Array.isArray(rules) || rules.length === 0) {
    throw new ListenerConfigError(option, 'must list at least one rule, like 192.0.2.0/24')
  }
  const compiled = rules.map((rule, index) => compileRule(rule, `${option}[${index}]`))
  // Caches the last answer: most deliveries come from the same address as the one before.
  let lastAddress = ''
  let lastAnswer = false
  return (address) => {
    if (address === lastAddress) return lastAnswer
    const bits = parseAddress(address)
    lastAnswer = compiled.some(({ network, length }) => bits?.length === length && bits.startsWith(network))
    lastAddress = address
    return lastAnswer
  }
}
