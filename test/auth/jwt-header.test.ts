import { describe, expect, it } from 'vitest'
import { remoteKeySet } from '../../src/jwt.ts'
import { ACCEPTED, invalid, jwtSender, type Sending } from '../support/jwt-listener.ts'
import { keyHost } from '../support/key-host.ts'
import { newKey } from '../support/keys.ts'

const KEY = newKey('ES256')
const ATTACKER = newKey('ES256', 'attacker')
const { send } = jwtSender(KEY)

const headerText = (text: string): Sending => ({ headerText: () => text })

describe('keys that a token brings along', () => {
  it('jwt() refuses a token that embeds the key it is signed with', async () => {
    const header = { jwk: ATTACKER.publicKey }
    expect(await send({ header, signer: ATTACKER.sign })).toMatchObject(
      invalid('the signature does not verify'),
    )
    expect(await send({ header: { ...header, kid: 'attacker' }, signer: ATTACKER.sign })).toMatchObject(
      invalid('no ES256 key has this kid'),
    )
  })

  it('jwt() ignores an embedded key when the token is signed with the right one', async () => {
    expect(await send({ header: { jwk: ATTACKER.publicKey } })).toMatchObject(ACCEPTED)
  })

  it.each(['jku', 'x5u'])('jwt() never fetches what %s points at', async (member) => {
    const trap = await keyHost({ keys: [ATTACKER.publicKey] })
    const header = { [member]: trap.url, kid: 'attacker' }
    expect(await send({ header, signer: ATTACKER.sign })).toMatchObject(invalid('no ES256 key has this kid'))
    expect(await send({ header: { [member]: trap.url } })).toMatchObject(ACCEPTED)
    expect(trap.requests).toBe(0)
  })

  it('jwt() asks the configured host only, whatever jku and x5u say', async () => {
    const trap = await keyHost({ keys: [ATTACKER.publicKey] })
    const host = await keyHost({ keys: [KEY.publicKey] })
    const keySet = remoteKeySet(host.url, { allowInsecureLoopback: true, fetch: host.fetch })
    const remote = jwtSender(KEY, { keySet })
    const header = { jku: trap.url, x5u: trap.url, kid: 'attacker' }
    expect(await remote.send({ header, signer: ATTACKER.sign })).toMatchObject(
      invalid('no ES256 key has this kid'),
    )
    expect([trap.requests, host.requests]).toEqual([0, 1])
  })

  it('jwt() takes no key from x5c', async () => {
    const header = { x5c: ['MIIB'], 'x5t#S256': 'AAAA' }
    expect(await send({ header, signer: ATTACKER.sign })).toMatchObject(
      invalid('the signature does not verify'),
    )
  })
})

describe('extensions', () => {
  const unsupported = invalid('crit and b64 are not allowed')

  it.each([
    ['an unknown name', ['x']],
    ['no name', []],
    ['a string', 'x'],
    ['a registered name', ['exp']],
    ['alg', ['alg']],
    ['null', null],
    ['a number', 0],
  ])('jwt() refuses a crit of %s', async (_, crit) => {
    expect(await send({ header: { crit, x: true } })).toMatchObject(unsupported)
  })

  it('jwt() refuses crit b64 even when b64 says true', async () => {
    expect(await send({ header: { crit: ['b64'], b64: true } })).toMatchObject(unsupported)
    expect(await send({ header: { b64: true } })).toMatchObject(unsupported)
  })

  it('jwt() refuses b64 false, with crit and without', async () => {
    expect(await send({ header: { b64: false } })).toMatchObject(unsupported)
    expect(await send({ header: { b64: false, crit: ['b64'] } })).toMatchObject(unsupported)
  })

  it('jwt() refuses a token whose payload is not encoded', async () => {
    const raw = (compact: string) => {
      const [header, payload = '', signature] = compact.split('.')
      return `${header}.${Buffer.from(payload, 'base64url')}.${signature}`
    }
    expect(await send({ header: { b64: false, crit: ['b64'] }, token: raw })).toMatchObject(
      invalid(/three segments|not base64url/),
    )
  })

  it('jwt() ignores typ, cty and unknown members of a plain token', async () => {
    for (const header of [{ typ: undefined }, { typ: 'at+jwt' }, { cty: 'json' }, { future: { a: [1] } }]) {
      expect(await send({ header })).toMatchObject(ACCEPTED)
    }
  })
})

describe('repeated members', () => {
  const twice = invalid('the token header has a member twice')

  it.each([
    ['alg, the wrong one first', `{"alg":"none","alg":"ES256","kid":"${KEY.keyId}"}`],
    ['alg, the wrong one last', `{"alg":"ES256","alg":"none","kid":"${KEY.keyId}"}`],
    ['alg, the same twice', `{"alg":"ES256","alg":"ES256","kid":"${KEY.keyId}"}`],
    ['kid', `{"alg":"ES256","kid":"other","kid":"${KEY.keyId}"}`],
    ['an unknown one', `{"alg":"ES256","kid":"${KEY.keyId}","x":1,"x":{"y":2}}`],
    ['alg, once escaped', `{"\\u0061lg":"none","alg":"ES256","kid":"${KEY.keyId}"}`],
    ['a name with an escaped quote', `{"alg":"ES256","kid":"${KEY.keyId}","a\\"b":1,"a\\u0022b":2}`],
    ['with white space around', `{ "alg" : "none" ,\n"alg"\t: "ES256", "kid":"${KEY.keyId}" }`],
    ['after a nested object', `{"x":{"y":[{}]},"alg":"none","alg":"ES256","kid":"${KEY.keyId}"}`],
  ])('jwt() refuses a header that repeats %s', async (_, text) => {
    expect(await send(headerText(text))).toMatchObject(twice)
  })

  it.each([
    ['a name that is also a value', `{"alg":"ES256","kid":"${KEY.keyId}","typ":"alg","x":"kid"}`],
    [
      'a name that is also nested',
      `{"alg":"ES256","kid":"${KEY.keyId}","x":{"alg":1,"kid":2},"y":[{"alg":3}]}`,
    ],
    ['values that look like members', `{"alg":"ES256","kid":"${KEY.keyId}","x":"{\\"alg\\":1,\\"alg\\":2}"}`],
    ['names that differ in case', `{"alg":"ES256","ALG":"none","kid":"${KEY.keyId}","Kid":"x"}`],
    ['white space', ` {\n "alg" : "ES256" ,\t"kid":"${KEY.keyId}" } \r\n`],
  ])('jwt() accepts a header with %s', async (_, text) => {
    expect(await send(headerText(text))).toMatchObject(ACCEPTED)
  })
})
