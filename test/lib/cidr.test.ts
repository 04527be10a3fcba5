import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ListenerConfigError } from '../../src/errors.ts'
import { compileCidrs, plainAddress } from '../../src/lib/cidr.ts'
import fc from '../support/property.ts'
import { itOutsideWorkerd } from '../support/runtime.ts'

const octet = fc.oneof(fc.nat(255), fc.constantFrom(0, 9, 10, 99, 100, 199, 200, 249, 250, 255))
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'))

const mapped = ipv4.map((address) => `::ffff:${address}`)

/** Text that is an address or resembles one. */
const nearly = fc.oneof(
  ipv4,
  mapped,
  fc.ipV6(),
  fc
    .tuple(fc.oneof(fc.ipV6(), ipv4), fc.nat(40), fc.constantFrom(...'0f:.%/ x\n', ''))
    .map(([text, index, letter]) => text.slice(0, index) + letter + text.slice(index + 1)),
  fc.stringMatching(/^[0-9.]{1,16}$/),
  fc.stringMatching(/^[0-9a-fA-F:.]{1,46}$/),
  fc.string({ maxLength: 50 }),
)

/** A deliberate difference: node:net accepts an address with a zone, and hookgate does not. */
function isAddressForNode(text: string): boolean {
  return !text.includes('%') && (isIPv4(text) || isIPv6(text))
}

/** The network of an address: the bits after `prefix` are zero. Computed with numbers instead of groups. */
function networkOf(address: string, prefix: number): string {
  const bits = address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const host = 32n - BigInt(prefix)
  const network = (bits >> host) << host
  return [24n, 16n, 8n, 0n].map((shift) => (network >> shift) & 255n).join('.')
}

function network6Of(groups: readonly number[], prefix: number): string {
  const bits = groups.reduce((sum, group) => sum * 65_536n + BigInt(group), 0n)
  const host = 128n - BigInt(prefix)
  const network = ((bits >> host) << host).toString(16).padStart(32, '0')
  return (network.match(/.{4}/g) ?? []).join(':')
}

const ipv4Rule = fc.tuple(ipv4, fc.integer({ min: 1, max: 32 })).map(([address, prefix]) => ({
  network: networkOf(address, prefix),
  prefix,
  family: 'ipv4' as const,
}))

/** The other spelling of `0.0.0.0/0`, which is refused. */
const EVERY_IPV4 = '0000:0000:0000:0000:0000:ffff:0000:0000'

const group = fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xffff))
const ipv6Rule = fc
  .tuple(fc.array(group, { minLength: 8, maxLength: 8 }), fc.integer({ min: 1, max: 128 }))
  .map(([groups, prefix]) => ({ network: network6Of(groups, prefix), prefix, family: 'ipv6' as const }))
  .filter(({ network, prefix }) => network !== EVERY_IPV4 || prefix !== 96)

/** Addresses at the edges of a rule, where mistakes show. */
const near = (network: string) =>
  fc.tuple(fc.nat(31), fc.boolean()).map(([bit]) => {
    const bits = network.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n) ^ (1n << BigInt(bit))
    return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.')
  })

describe('what an address is', () => {
  it('an address is what node:net says, zones excepted', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        expect(plainAddress(text) !== undefined).toBe(isAddressForNode(text))
      }),
      { numRuns: 20_000 },
    )
  })

  it.each(['fe80::1%eth0', '::1%25x', 'fe80::1%0'])('an address is not %s, which has a zone', (text) => {
    expect(isIPv6(text)).toBe(true)
    expect(plainAddress(text)).toBeUndefined()
  })

  it('the longest address is accepted, and nothing longer', () => {
    const longest = '0000:0000:0000:0000:0000:ffff:255.255.255.255'
    expect(longest).toHaveLength(45)
    expect(plainAddress(longest)).toBe('255.255.255.255')
    expect(plainAddress(`0${longest}`)).toBeUndefined()
    expect(compileCidrs([`${longest}/128`], 'allowedCidrs')('255.255.255.255')).toBe(true)
    expect(plainAddress(':'.repeat(1_000_000))).toBeUndefined()
  })
})

describe('the addresses that a rule covers', () => {
  it('a rule agrees with BlockList for IPv4, written plainly and mapped', () => {
    const rules = ipv4Rule.chain((rule) => fc.tuple(fc.constant(rule), fc.oneof(ipv4, near(rule.network))))
    fc.assert(
      fc.property(rules, ([rule, address]) => {
        const list = new BlockList()
        list.addSubnet(rule.network, rule.prefix, rule.family)
        const covers = compileCidrs([`${rule.network}/${rule.prefix}`], 'rules')
        const mappedRule = compileCidrs([`::ffff:${rule.network}/${rule.prefix + 96}`], 'rules')
        const wanted = list.check(address, 'ipv4')
        const spellings = [address, `::ffff:${address}`, `::FFFF:${address}`, `0:0:0:0:0:ffff:${address}`]
        for (const spelling of spellings) {
          expect(covers(spelling)).toBe(wanted)
          expect(mappedRule(spelling)).toBe(wanted)
        }
      }),
      { numRuns: 3000 },
    )
  })

  itOutsideWorkerd('its BlockList throws for 0:0:0:0:0:0:0.0.0.0')('agrees with BlockList for IPv6', () => {
    const rules = ipv6Rule.chain((rule) => {
      const inside = fc
        .tuple(fc.array(group, { minLength: 8, maxLength: 8 }), fc.boolean())
        .map(([groups, close]) => {
          const parts = rule.network.split(':').map((part) => Number.parseInt(part, 16))
          const kept = Math.floor(rule.prefix / 16) - Number(close)
          return [...parts.slice(0, Math.max(0, kept)), ...groups]
            .slice(0, 8)
            .map((part) => part.toString(16))
            .join(':')
        })
      return fc.tuple(fc.constant(rule), fc.oneof(inside, fc.ipV6(), fc.constant(rule.network)))
    })
    fc.assert(
      fc.property(rules, ([rule, address]) => {
        fc.pre(
          !/^0*:0*:0*:0*:0*:ffff:|^::ffff:/i.test(address) &&
            !rule.network.startsWith('0000:0000:0000:0000:0000'),
        )
        const list = new BlockList()
        list.addSubnet(rule.network, rule.prefix, rule.family)
        const covers = compileCidrs([`${rule.network}/${rule.prefix}`], 'rules')
        expect(covers(address)).toBe(list.check(address, 'ipv6'))
      }),
      { numRuns: 3000 },
    )
  })

  it('a rule covers an address if any of several rules covers it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(ipv4Rule, ipv6Rule), { minLength: 1, maxLength: 5 }),
        nearly,
        (rules, text) => {
          const written = rules.map(({ network, prefix }) => `${network}/${prefix}`)
          const each = written.map((rule) => compileCidrs([rule], 'rules')(text))
          expect(compileCidrs(written, 'rules')(text)).toBe(each.includes(true))
        },
      ),
    )
  })

  it('a rule never throws, and covers no text that is not an address', () => {
    const covers = compileCidrs(['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1'], 'rules')
    fc.assert(
      fc.property(nearly, (text) => {
        expect(covers(text)).toBe(isAddressForNode(text))
      }),
      { numRuns: 5000 },
    )
  })
})

describe('what a rule is', () => {
  it('any text is a rule or a ListenerConfigError', () => {
    const text = fc.oneof(
      nearly,
      fc
        .tuple(nearly, fc.oneof(fc.nat(140).map(String), fc.string({ maxLength: 4 })))
        .map(([a, b]) => `${a}/${b}`),
    )
    fc.assert(
      fc.property(text, (rule) => {
        try {
          compileCidrs([rule], 'rules')
          expect(isAddressForNode(rule.slice(0, rule.lastIndexOf('/')))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(ListenerConfigError)
        }
      }),
      { numRuns: 5000 },
    )
  })

  it('the rule that an error proposes is accepted', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, mapped, fc.ipV6()), fc.integer({ min: 1, max: 128 }), (address, prefix) => {
        for (const rule of [address, `${address}/${prefix}`]) {
          const proposal = proposalFor(rule)
          if (proposal !== undefined) expect(compileCidrs([proposal], 'rules')).toBeTypeOf('function')
        }
      }),
      { numRuns: 3000 },
    )
  })
})

function proposalFor(rule: string): string | undefined {
  try {
    compileCidrs([rule], 'rules')
    return undefined
  } catch (error) {
    return /(?:write it like|did you mean) ([^ ?]+)/.exec(String(error))?.[1]
  }
}
