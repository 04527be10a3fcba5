import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  defineListener,
  hmac,
  type Listener,
  ListenerConfigError,
  type ListenerOptions,
} from '../src/index.ts'
import { inTransaction } from '../src/joining.ts'
import { discord } from '../src/schemes/discord.ts'
import { elevenlabs } from '../src/schemes/elevenlabs.ts'
import { plaid } from '../src/schemes/plaid.ts'
import { standardWebhooks } from '../src/schemes/standard-webhooks.ts'
import { stripe } from '../src/schemes/stripe.ts'
import { memoryStore } from '../src/stores/memory.ts'
import { SECRET } from './support/hmac-listener.ts'

const auth = hmac({ secrets: { id: 'main', secret: SECRET } })
const store = memoryStore({ maxRecords: 10 })
const required = { id: 'L1', auth, store }

/** The error for these options. Any value is allowed, as in plain JavaScript. */
function errorOf(options: unknown): ListenerConfigError {
  try {
    defineListener(options as ListenerOptions)
  } catch (error) {
    if (error instanceof ListenerConfigError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const optionAtFault = (changed: object) => errorOf({ ...required, ...changed }).option

describe('an omitted option', () => {
  it('an omitted option gets the numbers of the specification', () => {
    expect(defineListener(required)).toMatchObject({
      id: 'L1',
      maxBodyBytes: 65_536,
      toleranceSeconds: 300,
      retentionMs: 7 * 24 * 60 * 60 * 1000,
      leaseMs: 60_000,
      storeTimeoutMs: 2000,
      settle: 'auto',
      clock: Date,
    })
  })

  it('an omitted option stays undefined: no networks, no schema, no hooks', () => {
    const { isSourceAllowed, payload, onVerdict, onError } = defineListener(required)
    expect([isSourceAllowed, payload, onVerdict, onError]).toStrictEqual(Array(4).fill(undefined))
  })

  it('an omitted option may be written as undefined', () => {
    const names = ['allowedCidrs', 'maxBodyBytes', 'toleranceSeconds', 'retentionSeconds', 'leaseSeconds']
    const more = [
      'maxRunSeconds',
      'storeTimeoutSeconds',
      'payload',
      'settle',
      'onVerdict',
      'onError',
      'clock',
      'randomUuid',
    ]
    const options = Object.fromEntries([...names, ...more].map((name) => [name, undefined]))
    const { nextOwner: _, ...wanted } = defineListener(required)
    const { nextOwner: __, ...seen } = defineListener({ ...required, ...options })
    expect(seen).toStrictEqual(wanted)
  })
})

describe('a required option', () => {
  it.each([
    ['id', undefined],
    ['id', null],
    ['id', ''],
    ['id', 7],
    ['id', 'lone \ud800 surrogate'],
    ['store', undefined],
    ['store', null],
    ['store', {}],
    ['store', { claim() {}, commit() {} }],
    ['store', new Map()],
  ])('%s cannot be %j', (name, value) => {
    expect(optionAtFault({ [name]: value })).toBe(name)
  })

  it('no authentication method, or two, are refused', () => {
    for (const wrong of [undefined, null, {}, [auth, auth], 'hmac', SECRET, { hmac: auth, jwt: auth }]) {
      expect(optionAtFault({ auth: wrong })).toBe('auth')
    }
    expect(optionAtFault({ hmac: auth })).toBe('hmac')
    expect(optionAtFault({ jwt: auth })).toBe('jwt')
  })

  it('a commitIn that inTransaction has not made is refused', () => {
    const commitIn = async () => 'committed' as const
    const message = 'store.commitIn: is a function; call it: inTransaction(…)'
    expect(errorOf({ ...required, store: { ...memoryStore(), commitIn } as never }).message).toBe(message)
    const joining = { ...memoryStore(), commitIn: inTransaction(commitIn) }
    expect(defineListener({ ...required, store: joining }).store).toBe(joining)
  })

  it('the error for a missing one names what to try', () => {
    expect(errorOf({ id: 'L1', auth }).message).toMatch(/try memoryStore\(\)$/)
    expect(errorOf({ id: 'L1', store }).message).toMatch(/try hmac\(\{ secrets \}\)$/)
  })

  it.each([undefined, null, 'L1', 7])('options cannot be %j', (options) => {
    expect(errorOf(options).option).toBe('defineListener')
  })
})

describe('a misspelt option', () => {
  it.each([
    ['allowedCidr', 'did you mean allowedCidrs?'],
    ['tolerance', 'did you mean toleranceSeconds?'],
    ['onverdict', 'did you mean onVerdict?'],
    ['ID', 'did you mean id?'],
    ['settled', 'did you mean settle?'],
    ['Onverdict', 'did you mean onVerdict?'],
    ['onVerdicts', 'did you mean onVerdict?'],
    ['onVredict', 'did you mean onVerdict?'],
    ['onEror', 'did you mean onError?'],
    ['tolerence', 'did you mean toleranceSeconds?'],
    ['toleranceMs', 'did you mean toleranceSeconds?'],
    ['storeTimeout', 'did you mean storeTimeoutSeconds?'],
    ['Store', 'did you mean store?'],
    ['stor', 'did you mean store?'],
    ['(', 'it has id, auth, store, '],
    ['x'.repeat(100_000), 'it has id, auth, store, '],
    ['secret', 'it has id, auth, store, '],
    ['toString', 'it has id, auth, store, '],
    ['constructor', 'it has id, auth, store, '],
  ])('%s is refused, with the option that was meant, or with all: %s', (name, hint) => {
    const error = errorOf({ ...required, [name]: 300 })
    expect(error.option).toBe(name)
    expect(error.message).toContain(`defineListener has no such option; ${hint}`)
  })
})

describe('numbers', () => {
  const names = [
    'maxBodyBytes',
    'toleranceSeconds',
    'retentionSeconds',
    'leaseSeconds',
    'maxRunSeconds',
    'storeTimeoutSeconds',
  ]
  const wrong = [0, -0, -1, NaN, Infinity, -Infinity, '300', null, true, 300n, [300], new Date()]

  it.each(names.flatMap((name) => wrong.map((value) => [name, value])))(
    'the option %s cannot be %s',
    (name, value) => {
      expect(optionAtFault({ [String(name)]: value })).toBe(name)
    },
  )

  it('toleranceSeconds given as undefined is 300, and does not disable the check', () => {
    expect(defineListener({ ...required, toleranceSeconds: undefined }).toleranceSeconds).toBe(300)
  })

  it('maxBodyBytes counts whole bytes', () => {
    expect(optionAtFault({ maxBodyBytes: 1.5 })).toBe('maxBodyBytes')
    expect(optionAtFault({ maxBodyBytes: 2 ** 53 })).toBe('maxBodyBytes')
    expect(defineListener({ ...required, maxBodyBytes: 1 }).maxBodyBytes).toBe(1)
  })

  it('maxRunSeconds is at least leaseSeconds, and 900 by default unless the lease is longer', () => {
    const maxRunMs = (options: object) => defineListener({ ...required, ...options }).maxRunMs
    expect(optionAtFault({ leaseSeconds: 30, maxRunSeconds: 29.9 })).toBe('maxRunSeconds')
    expect(maxRunMs({ leaseSeconds: 30, maxRunSeconds: 30 })).toBe(30_000)
    expect([maxRunMs({}), maxRunMs({ leaseSeconds: 901 })]).toEqual([900_000, 901_000])
  })

  it('seconds may have fractions', () => {
    expect(
      defineListener({ ...required, toleranceSeconds: 0.5, leaseSeconds: 0.25, storeTimeoutSeconds: 0.03 }),
    ).toMatchObject({ toleranceSeconds: 0.5, leaseMs: 250, storeTimeoutMs: 30 })
  })
})

describe('memory that is shorter than the replay window', () => {
  it('retentionSeconds is at least 600 for any tolerance, because a token may be valid that long', () => {
    expect(optionAtFault({ retentionSeconds: 599, toleranceSeconds: 1 })).toBe('retentionSeconds')
    const narrow = { ...required, retentionSeconds: 600, toleranceSeconds: 1 }
    expect(defineListener(narrow).retentionMs).toBe(600_000)
  })

  it('retentionSeconds is at least twice toleranceSeconds, plus the whole last second', () => {
    expect(optionAtFault({ retentionSeconds: 600 })).toBe('retentionSeconds')
    expect(defineListener({ ...required, retentionSeconds: 601 }).retentionMs).toBe(601_000)
    const roomy = memoryStore({ maxRecords: 10, replayWindowSeconds: 10_000 })
    const tolerant = { store: roomy, toleranceSeconds: 1000 }
    expect(optionAtFault({ ...tolerant, retentionSeconds: 2000 })).toBe('retentionSeconds')
    expect(defineListener({ ...required, ...tolerant, retentionSeconds: 2001 }).retentionMs).toBe(2_001_000)
  })

  it("a store's replay window must be as long", () => {
    const keeping = (replayWindowSeconds: number) => memoryStore({ maxRecords: 10, replayWindowSeconds })
    expect(optionAtFault({ store: keeping(600) })).toBe('store')
    expect(optionAtFault({ toleranceSeconds: 301 })).toBe('store')
    expect(optionAtFault({ store: keeping(602), toleranceSeconds: 301 })).toBe('store')
    expect(defineListener({ ...required, store: keeping(603), toleranceSeconds: 301 }).id).toBe('L1')
  })

  it("601 seconds are enough at a sender's own tolerance, but not at a longer one", () => {
    const keeping = (replayWindowSeconds: number) => memoryStore({ maxRecords: 10, replayWindowSeconds })
    const sender = {
      ...required,
      auth: elevenlabs({ secrets: 'wsec_0123456789abcdef' }),
      store: keeping(601),
    }
    expect(defineListener(sender).toleranceSeconds).toBe(1800)
    expect(() => defineListener({ ...sender, toleranceSeconds: 1801 })).toThrow(/at least 3603/)
    expect(() => defineListener({ ...sender, store: keeping(3602), toleranceSeconds: 1801 })).toThrow(/3603/)
    expect(defineListener({ ...sender, store: keeping(3603), toleranceSeconds: 1801 }).id).toBe('L1')
  })

  it('a store without a replay window keeps everything', () => {
    const { claim, commit, release } = {
      claim: () => 'acquired' as const,
      commit: () => 'committed' as const,
      release: () => true,
    }
    expect(
      defineListener({ ...required, store: { claim, commit, release }, toleranceSeconds: 5000 }).id,
    ).toBe('L1')
  })

  it('a store may have no renew, but none that cannot be called', () => {
    const { renew, ...store } = memoryStore()
    expect(renew).toBeTypeOf('function')
    const without: object = { ...store, renew: undefined }
    expect(defineListener({ ...required, store: without as ListenerOptions['store'] }).id).toBe('L1')
    for (const wrong of [null, true, 'renew', Promise.resolve(true)]) {
      expect(optionAtFault({ store: { ...store, renew: wrong } })).toBe('store.renew')
    }
  })
})

describe('the rest', () => {
  it.each([
    ['settle', 'Auto'],
    ['settle', true],
    ['settle', null],
    ['onVerdict', 'log'],
    ['onError', {}],
    ['clock', 0],
    ['clock', () => 0],
    ['clock', { now: 5 }],
    ['randomUuid', 'a'],
    ['payload', null],
    ['payload', {}],
    ['payload', () => true],
    ['payload', { '~standard': { version: 1, vendor: 'x' } }],
    ['allowedCidrs', []],
    ['allowedCidrs', null],
    ['allowedCidrs[1]', ['10.0.0.0/8', 'localhost']],
  ])('%s is named as the option at fault for %j', (option, value) => {
    expect(optionAtFault({ [option.replace(/\[.*/, '')]: value })).toBe(option)
  })

  it.each(['auto', 'manual'] as const)('settle can be %s', (settle) => {
    expect(defineListener({ ...required, settle }).settle).toBe(settle)
  })
})

describe('the error', () => {
  it.each([
    [stripe, 'stripe({ secrets })'],
    [standardWebhooks, 'standardWebhooks({ secrets })'],
    [discord, 'discord({ publicKeys })'],
    [plaid, 'plaid({ … })'],
    [hmac, 'hmac({ secrets })'],
  ])('the error says how to call an authenticator that was not called: %#', (factory, call) => {
    const { message } = errorOf({ ...required, auth: factory })
    expect(message).toBe(`auth: is a function; call it: ${call}`)
  })

  it('the error names the option and the problem, has a code, and never quotes a secret', () => {
    const error = errorOf({ ...required, auth: { secret: SECRET }, id: 'L1' })
    expect(error).toMatchObject({ name: 'ListenerConfigError', code: 'ERR_LISTENER_CONFIG', option: 'auth' })
    expect(error).toBeInstanceOf(Error)
    expect(error.message).toMatch(/^auth: must have a method authenticate\(\): try hmac\(\{ secrets \}\)$/)
    for (const options of [
      { auth: SECRET },
      { secret: SECRET },
      { auth: [SECRET] },
      { store: SECRET },
      { clock: SECRET },
    ]) {
      const { message, stack } = errorOf({ ...required, ...options })
      expect(`${message} ${stack}`).not.toContain(SECRET)
    }
  })
})

describe('the listener', () => {
  it('the listener cannot be changed, and does not change with its options', () => {
    const allowedCidrs = ['10.0.0.0/8']
    const options = { ...required, allowedCidrs, toleranceSeconds: 10 }
    const listener = defineListener(options)
    allowedCidrs[0] = '192.0.2.0/24'
    options.toleranceSeconds = 1_000_000
    expect(Object.isFrozen(listener)).toBe(true)
    expect(listener.isSourceAllowed?.('10.1.2.3')).toBe(true)
    expect(listener.isSourceAllowed?.('192.0.2.1')).toBe(false)
    expect(listener.toleranceSeconds).toBe(10)
  })

  it('the listener has the payload type of its schema, and is a listener of unknown payload too', () => {
    expectTypeOf(defineListener(required)).toExtend<Listener<unknown>>()
  })
})
