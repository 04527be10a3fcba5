/** Properties of engines that decide how dangerous some catalogue rows are. No code of hookgate runs. */
import { equal } from './equal.mjs'
import { fixture } from './fixture.mjs'

const outcome = async (run) => {
  try {
    return String(await run())
  } catch (error) {
    return error.name
  }
}

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
const DEEP = '['.repeat(32_768) + ']'.repeat(32_768)

const questions = {
  'JSON.parse of 32,768 nested arrays': () => JSON.parse(DEEP).length,
  'JSON.stringify of them': () => JSON.stringify(JSON.parse(DEEP)).length,
  'structuredClone of them': () => structuredClone(JSON.parse(DEEP)).length,
  'JSON.parse of them with a reviver': () => JSON.parse(DEEP, (_, value) => value).length,
  'JSON.parse of 65,536 opening brackets': () => JSON.parse('['.repeat(65_536)),
  'atob of a text with its unused bits set': () => bytesOf('AB').length,
  'Uint8Array.fromBase64 of it, by default': () => Uint8Array.fromBase64('AB').length,
  'Web Crypto with a small-order key and its forgery': async () => {
    const [header, payload, signature] = fixture.smallOrder.token.split('.')
    const key = await crypto.subtle.importKey('jwk', fixture.smallOrder.publicKey, 'Ed25519', false, [
      'verify',
    ])
    const text = new TextEncoder().encode(`${header}.${payload}`)
    return crypto.subtle.verify('Ed25519', key, bytesOf(signature), text)
  },
  'Web Crypto imports a P-256 point that is not on the curve': async () => {
    const nine = 'CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk'
    const jwk = { kty: 'EC', crv: 'P-256', x: nine, y: nine }
    await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify'])
    return true
  },
}

/** One case per fact: the engine still does what facts.json says. */
export const facts = Object.fromEntries(
  Object.entries(questions).map(([name, ask]) => [
    name,
    async () => equal(await outcome(ask), fixture.facts[name]),
  ]),
)
