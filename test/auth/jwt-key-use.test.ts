import { describe, expect, it } from 'vitest'
import { localKeySet } from '../../src/jwt.ts'
import { ACCEPTED, invalid, jwtSender } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const RSA = newKey('RS256')
const EC = newKey('ES256')
const ED = newKey('EdDSA')

describe.each([RSA, EC, ED])('what a key of $algorithm is for', (key) => {
  const sendWith = (members: object) =>
    jwtSender(key, { keySet: localKeySet({ keys: [{ ...key.publicKey, ...members }] }) }).send()

  it.each([
    ['use sig', { use: 'sig' }],
    ['key_ops verify', { key_ops: ['verify'] }],
    ['key_ops verify and more', { key_ops: ['sign', 'verify'] }],
    ['both', { use: 'sig', key_ops: ['verify'] }],
    ['unknown members', { x5t: 'AAAA', exp: 1, future: {} }],
  ])('a key with %s is used', async (_, members) => {
    expect(await sendWith(members)).toMatchObject(ACCEPTED)
  })

  it.each([
    ['use enc', { use: 'enc' }, /its use is not sig/],
    ['use null', { use: null }, /its use is not sig/],
    ['use in an array', { use: ['sig'] }, /its use is not sig/],
    ['use in capitals', { use: 'SIG' }, /its use is not sig/],
    ['key_ops sign', { key_ops: ['sign'] }, /its key_ops lack verify/],
    ['key_ops encrypt', { key_ops: ['encrypt', 'wrapKey'] }, /its key_ops lack verify/],
    ['empty key_ops', { key_ops: [] }, /its key_ops lack verify/],
    ['key_ops as text', { key_ops: 'verify' }, /its key_ops lack verify/],
    ['key_ops null', { key_ops: null }, /its key_ops lack verify/],
    ['key_ops with a repeated value', { key_ops: ['verify', 'verify'] }, /its key_ops repeat/],
    ['key_ops with another value repeated', { key_ops: ['verify', 'sign', 'sign'] }, /its key_ops repeat/],
    ['use sig, but key_ops encrypt', { use: 'sig', key_ops: ['encrypt'] }, /its key_ops lack verify/],
    ['use enc, but key_ops verify', { use: 'enc', key_ops: ['verify'] }, /its use is not sig/],
  ])('a key with %s is refused', async (_, members, detail) => {
    expect(await sendWith(members)).toMatchObject(invalid(detail))
  })

  it('a whole private key is refused', async () => {
    expect(await sendWith(key.privateKey)).toMatchObject(invalid(/it is a private key/))
  })

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'])(
    'a key with the member %s is refused, whatever it holds',
    async (member) => {
      for (const value of ['AAAA', '', null]) {
        expect(await sendWith({ [member]: value })).toMatchObject(invalid(/it is a private key/))
      }
    },
  )

  it('the good keys are used of a set that also leaks a private and a symmetric one', async () => {
    const oct = { kty: 'oct', kid: 'shared', k: 'AAAA' }
    const leaked = newKey('EdDSA', 'leaked')
    const keySet = localKeySet({ keys: [oct, leaked.privateKey, key.publicKey] })
    expect(await jwtSender(key, { keySet }).send()).toMatchObject(ACCEPTED)
    expect(await jwtSender(leaked, { keySet }).send()).toMatchObject(invalid(/it is a private key/))
  })

  it('an oct key with the kid of a public one is never taken', async () => {
    const oct = { kty: 'oct', kid: key.keyId, alg: key.algorithm, k: 'AAAA' }
    const alone = jwtSender(key, { keySet: localKeySet({ keys: [oct] }) })
    expect(await alone.send()).toMatchObject(invalid(`no ${key.algorithm} key has this kid`))
    const both = jwtSender(key, { keySet: localKeySet({ keys: [oct, key.publicKey] }) })
    expect(await both.send()).toMatchObject(ACCEPTED)
  })
})
