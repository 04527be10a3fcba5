import { describe, expect, it } from 'vitest'
import { ListenerConfigError, verify } from '../../src/index.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { outcome } from '../support/outcome.ts'

const REFUSED = '403 source_ip_not_allowed'

async function fate(allowedCidrs: readonly string[] | undefined, sourceIp?: string): Promise<string> {
  const { listener, deliver } = hmacListener({ allowedCidrs })
  return outcome(await deliver(sourceIp === undefined ? {} : { sourceIp }), listener)
}

/** The message of the error that these rules make. */
function complaint(allowedCidrs: readonly string[]): string {
  try {
    hmacListener({ allowedCidrs })
  } catch (error) {
    if (error instanceof ListenerConfigError) return error.message
    throw error
  }
  return 'no error'
}

describe('the detail', () => {
  const detailOf = async (sourceIp: string | undefined) => {
    const { listener, deliver } = hmacListener({ allowedCidrs: ['10.0.0.0/8'] })
    const verdict = await verify({ ...(await deliver()), sourceIp }, listener)
    return verdict.ok ? 'accepted' : verdict.detail
  }

  it('the detail names the address, because an unexpected one is usually an undeclared proxy', async () => {
    expect(await detailOf('172.17.0.1')).toBe('172.17.0.1 is in none of allowedCidrs')
    expect(await detailOf(undefined)).toBe('the source address is unknown')
  })

  it.each(['::ffff:172.17.0.1', '::ffff:ac11:1', '::FFFF:172.17.0.1'])(
    'the detail, and what hooks are told, name the IPv4 address %s in its own form',
    async (sourceIp) => {
      expect(await detailOf(sourceIp)).toBe('172.17.0.1 is in none of allowedCidrs')
      const told: unknown[] = []
      const onVerdict = (_: unknown, context: object) => told.push(context)
      const { listener, deliver } = hmacListener({ onVerdict })
      await verify(await deliver({ sourceIp }), listener)
      expect(told).toEqual([expect.objectContaining({ sourceIp: '172.17.0.1' })])
    },
  )

  it('null and an empty address are unknown, because headers.get() returns null', async () => {
    const absent: unknown[] = [null, '']
    for (const sourceIp of absent) {
      expect(await detailOf(sourceIp as undefined)).toBe('the source address is unknown')
    }
  })

  it('the detail does not repeat text that is not an address, because a stranger may send any length', async () => {
    expect(await detailOf('x'.repeat(5000))).toBe('the source is not an address')
  })
})

describe('IPv4', () => {
  it.each(['10.0.0.0', '10.0.0.1', '10.255.255.255'])('10.0.0.0/8 allows %s', async (address) => {
    expect(await fate(['10.0.0.0/8'], address)).toBe('accepted')
  })

  it.each(['9.255.255.255', '11.0.0.0'])('10.0.0.0/8 refuses %s', async (address) => {
    expect(await fate(['10.0.0.0/8'], address)).toBe(REFUSED)
  })

  it('an address passes that any of several rules allows', async () => {
    const rules = ['192.0.2.7/32', '2001:db8::/32', '198.51.100.128/25']
    expect(await fate(rules, '198.51.100.128')).toBe('accepted')
    expect(await fate(rules, '198.51.100.127')).toBe(REFUSED)
    expect(await fate(rules, '2001:db8:ffff::1')).toBe('accepted')
    expect(await fate(rules, '2001:db9::')).toBe(REFUSED)
    expect(await fate(rules, '192.0.2.7')).toBe('accepted')
    expect(await fate(rules, '192.0.2.6')).toBe(REFUSED)
  })

  it('no address is checked when no rules are given', async () => {
    expect(await fate(undefined, 'not an address')).toBe('accepted')
    expect(await fate(undefined)).toBe('accepted')
  })
})

describe('IPv4 in IPv6', () => {
  it.each([
    '::ffff:10.0.0.1',
    '::ffff:0a00:0001',
    '0:0:0:0:0:ffff:a00:1',
    '::FFFF:10.0.0.1',
    '0000:0000:0000:0000:0000:FFFF:0A00:0001',
    '0:0:0:0:0:ffff:10.0.0.1',
  ])('%s counts as 10.0.0.1', async (address) => {
    expect(await fate(['10.0.0.0/8'], address)).toBe('accepted')
    expect(await fate(['11.0.0.0/8'], address)).toBe(REFUSED)
  })

  it('the rule ::ffff:10.0.0.0/104 counts as 10.0.0.0/8', async () => {
    expect(await fate(['::ffff:10.0.0.0/104'], '10.255.255.255')).toBe('accepted')
    expect(await fate(['::ffff:10.0.0.0/104'], '::ffff:10.0.0.1')).toBe('accepted')
    expect(await fate(['::ffff:10.0.0.0/104'], '11.0.0.0')).toBe(REFUSED)
  })

  it('the rule ::ffff:10.0.0.0/8 throws, which would be the whole IPv4 internet', () => {
    expect(complaint(['::ffff:10.0.0.0/8'])).toContain('allowedCidrs[0]')
    expect(complaint(['::ffff:0:0/96'])).toContain('allows every address')
  })

  it('an IPv4 rule refuses an IPv6 source, and the reverse, without an exception', async () => {
    expect(await fate(['10.0.0.0/8'], '2001:db8::1')).toBe(REFUSED)
    expect(await fate(['2001:db8::/32'], '32.1.13.184')).toBe(REFUSED)
    expect(await fate(['::/8'], '::ffff:10.0.0.1')).toBe(REFUSED)
  })

  it.each(['::10.0.0.1', '::a00:1'])('the deprecated %s is not 10.0.0.1', async (address) => {
    expect(await fate(['10.0.0.0/8'], address)).toBe(REFUSED)
  })

  it.each([
    '64:ff9b::10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::10.0.0.1',
    '2002:a00:1::',
    '::ffff:0:10.0.0.1',
    '2001:db8::ffff:10.0.0.1',
    '0:0:0:0:1:ffff:a00:1',
  ])('the translated %s is not 10.0.0.1', async (address) => {
    expect(await fate(['10.0.0.0/8'], address)).toBe(REFUSED)
  })

  it.each(['::ffff:0:a00:1', '::ffff:0:10.0.0.1', '::FFFF:0:10.0.0.1', '::ffff:0:0:10.0.0.1'])(
    '%s is the IPv6 address it is, in either notation',
    async (address) => {
      expect(await fate(['::/16'], address)).toBe('accepted')
      expect(await fate(['1::/16'], address)).toBe(REFUSED)
    },
  )
})

describe('text that is no address', () => {
  const everywhere = ['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1']

  it('the rules of these cases allow every real address', async () => {
    for (const address of ['1.2.3.4', '200.1.1.1', '::1', 'fe80::1']) {
      expect(await fate(everywhere, address)).toBe('accepted')
    }
  })

  it.each(['010.0.0.1', '0177.0.0.1', '10.0.0.01', '10.00.0.1', '::ffff:010.0.0.1'])(
    '%s is refused, which some read as octal',
    async (address) => {
      expect(await fate(everywhere, address)).toBe(REFUSED)
    },
  )

  it.each([
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '1.2.3',
    '1.2.3.',
    '1.2.3.4.5',
    '::ffff:127.1',
  ])('%s is refused, which some complete', async (address) => {
    expect(await fate(everywhere, address)).toBe(REFUSED)
  })

  it.each([
    '256.1.1.1',
    '1.256.1.1',
    '1.1.256.1',
    '1.1.1.256',
    '999.1.1.1',
    '::ffff:1.1.1.256',
    '1.1.1.1000',
  ])('%s is refused, whose number is too large', async (address) => {
    expect(await fate(everywhere, address)).toBe(REFUSED)
  })

  it.each(['fe80::1%eth0', '::1%25x', 'fe80::1%', '::1%10.0.0.1', '10.0.0.1%eth0'])(
    '%s is refused: a zone never matches',
    async (address) => {
      expect(await fate(everywhere, address)).toBe(REFUSED)
    },
  )

  it.each(['10.0.0.1:443', '[::1]:443', '[::1]', '::1.443'])(
    '%s is refused, which has a port',
    async (text) => {
      expect(await fate(everywhere, text)).toBe(REFUSED)
    },
  )

  it.each([
    '',
    ' ',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '10.0.0.1\n',
    '10.0.0.1,10.0.0.2',
    '10.0.0.1/32',
    'localhost',
    '１.1.1.1',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '::g',
    `${'0:'.repeat(7)}${'0'.repeat(40)}1`,
  ])('%j is refused', async (address) => {
    expect(await fate(everywhere, address)).toBe(REFUSED)
  })

  it('an unknown source is refused when there are rules', async () => {
    expect(await fate(everywhere)).toBe(REFUSED)
  })
})

describe('rules that are refused', () => {
  it.each(['10/8', '10.0/8', '1/32'])('the short rule %s throws', (rule) => {
    expect(complaint([rule])).toContain('is not a CIDR rule')
  })

  it.each(['010.0.0.0/8', '0x0a.0.0.0/8', '10.0.0.0/08', '10.0.0.0/+8', '10.0.0.0/8.0', '10.0.0.0/0x8'])(
    'the rule %s throws, whose number is spelt oddly',
    (rule) => {
      expect(complaint([rule])).toContain('is not a CIDR rule')
    },
  )

  it.each([
    ['10.0.0.5/8', 'did you mean 10.0.0.0/8?'],
    ['10.0.0.129/25', 'did you mean 10.0.0.128/25?'],
    ['2001:db8::1/32', 'did you mean 2001:db8::/32?'],
    ['::ffff:10.0.0.5/104', 'did you mean 10.0.0.0/8?'],
    ['10.0.0.0/33', 'longer than 32 bits'],
    ['2001:db8::/129', 'longer than 128 bits'],
    ['10.0.0.0', 'write it like 10.0.0.0/32'],
    ['2001:db8::1', 'write it like 2001:db8::1/128'],
    ['::ffff:10.0.0.1', 'write it like 10.0.0.1/32'],
    ['10.0.0.0/255.0.0.0', 'is not a CIDR rule'],
    ['10.0.0.0/8 ', 'is not a CIDR rule'],
    ['192.0.2.0/10.0.0.0/8', 'is not a CIDR rule'],
    [' 10.0.0.0/8', 'is not a CIDR rule'],
    ['10.0.0.0/8\n', 'is not a CIDR rule'],
    ['10.0.0.0/', 'is not a CIDR rule'],
    ['/8', 'is not a CIDR rule'],
    ['', 'is not a CIDR rule'],
    ['fe80::%eth0/10', 'is not a CIDR rule'],
    ['*', 'is not a CIDR rule'],
  ])('the rule %j throws: %s', (rule, problem) => {
    expect(complaint([rule])).toContain(problem)
  })

  it.each(['0.0.0.0/0', '::/0', '203.0.113.7/0'])('the rule %s throws, which allows everyone', (rule) => {
    expect(complaint([rule])).toContain('allows every address')
  })

  it('an empty list throws, which differs from no list', () => {
    expect(complaint([])).toContain('allowedCidrs: must list at least one rule')
  })

  it('the error names the rule at fault', () => {
    expect(complaint(['10.0.0.0/8', '10/8'])).toContain('allowedCidrs[1]: "10/8" is not')
  })

  it.each([null, '10.0.0.0/8', [8], [null], [['10.0.0.0/8']], [{}], [10n], [Symbol('x')]])(
    'rules of another type throw a ListenerConfigError, case %#',
    (rules) => {
      expect(() => hmacListener({ allowedCidrs: rules as unknown as string[] })).toThrow(ListenerConfigError)
    },
  )
})
