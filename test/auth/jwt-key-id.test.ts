import { describe, expect, it } from 'vitest'
import { localKeySet } from '../../src/jwt.ts'
import { ACCEPTED, invalid, jwtSender } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const KEY = newKey('ES256', 'main')

describe('the kid of a token', () => {
  it('jwt() refuses a token without kid even when the set has one key', async () => {
    expect(await jwtSender(KEY).send({ header: { kid: undefined } })).toMatchObject(invalid('kid is missing'))
  })

  it('jwt() refuses a token without kid when the only key has none either', async () => {
    const { kid: _, ...unnamed } = KEY.publicKey
    const { send } = jwtSender(KEY, { keySet: localKeySet({ keys: [unnamed] }) })
    expect(await send({ header: { kid: undefined } })).toMatchObject(invalid('kid is missing'))
    expect(await send()).toMatchObject(invalid('no ES256 key has this kid'))
  })

  it.each([
    ['a number', 1],
    ['zero', 0],
    ['null', null],
    ['true', true],
    ['an object', { main: 1 }],
    ['an array of the right one', ['main']],
    ['empty', ''],
  ])('jwt() refuses a kid that is %s', async (_, kid) => {
    expect(await jwtSender(KEY).send({ header: { kid } })).toMatchObject(invalid('kid is missing'))
  })

  it('a kid may have 256 characters, and not 257', async () => {
    const long = newKey('ES256', 'k'.repeat(256))
    expect(await jwtSender(long).send()).toMatchObject(ACCEPTED)
    const longer = newKey('ES256', 'k'.repeat(257))
    expect(await jwtSender(longer).send()).toMatchObject(invalid('kid is over 256 characters'))
  })

  it('jwt() refuses a kid of 5,000 characters', async () => {
    const { send } = jwtSender(KEY)
    expect(await send({ header: { kid: 'k'.repeat(5_000) } })).toMatchObject(
      invalid('kid is over 256 characters'),
    )
  })

  it.each([
    '../../etc/passwd',
    "' OR 1=1 --",
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'size',
    'https://attacker.example/key',
    '\u0000main',
    'Main',
    'main ',
    ' main',
    'mai',
    'main2',
    'maın',
  ])('jwt() only compares a kid: %j names no key', async (kid) => {
    expect(await jwtSender(KEY).send({ header: { kid } })).toMatchObject(invalid('no ES256 key has this kid'))
  })

  it.each(['../../x', "' OR 1=1 --", '__proto__', 'constructor', 'schlüssel/1', '密钥', '\u0000'])(
    'jwt() only compares a kid: %j finds the key that is named so',
    async (kid) => {
      const named = newKey('ES256', kid)
      const keySet = localKeySet({ keys: [KEY.publicKey, named.publicKey] })
      expect(await jwtSender(named, { keySet }).send()).toMatchObject({
        ok: true,
        event: { auth: { keyId: kid } },
      })
    },
  )

  it('jwt() does not find a kid in a member named __proto__', async () => {
    const headerText = () => '{"alg":"ES256","__proto__":{"kid":"main"}}'
    expect(await jwtSender(KEY).send({ headerText })).toMatchObject(invalid('kid is missing'))
  })
})

describe('several keys', () => {
  const other = newKey('ES256', 'other')

  it('jwt() finds each key by its kid', async () => {
    const keySet = localKeySet({ keys: [KEY.publicKey, other.publicKey] })
    expect(await jwtSender(KEY, { keySet }).send()).toMatchObject(ACCEPTED)
    expect(await jwtSender(other, { keySet }).send()).toMatchObject(ACCEPTED)
  })

  it('jwt() refuses a token that names one key and is signed with another of the set', async () => {
    const { send } = jwtSender(KEY, { keySet: localKeySet({ keys: [KEY.publicKey, other.publicKey] }) })
    expect(await send({ signer: other.sign })).toMatchObject(invalid('the signature does not verify'))
  })

  it('jwt() refuses a kid that two keys of one algorithm share, whichever signed', async () => {
    const namesake = newKey('ES256', 'main')
    const keySet = localKeySet({ keys: [KEY.publicKey, namesake.publicKey] })
    for (const key of [KEY, namesake]) {
      expect(await jwtSender(key, { keySet }).send()).toMatchObject(
        invalid('more than one ES256 key has this kid'),
      )
    }
  })

  it('jwt() refuses a key that stands in the set twice', async () => {
    const { send } = jwtSender(KEY, { keySet: localKeySet({ keys: [KEY.publicKey, KEY.publicKey] }) })
    expect(await send()).toMatchObject(invalid('more than one ES256 key has this kid'))
  })

  it('jwt() accepts a kid that keys of two algorithms share', async () => {
    const namesake = newKey('EdDSA', 'main')
    const keySet = localKeySet({ keys: [KEY.publicKey, namesake.publicKey] })
    expect(await jwtSender(KEY, { keySet }).send()).toMatchObject(ACCEPTED)
    expect(await jwtSender(namesake, { keySet }).send()).toMatchObject(ACCEPTED)
  })

  it('jwt() passes over a namesake that may not be used', async () => {
    const forEncryption = { ...newKey('ES256', 'main').publicKey, use: 'enc' }
    const keySet = localKeySet({ keys: [forEncryption, KEY.publicKey] })
    expect(await jwtSender(KEY, { keySet }).send()).toMatchObject(ACCEPTED)
  })
})
