import { readFileSync } from 'node:fs'
import { readJwk } from '../../../src/crypto/public-keys.ts'
import { memberOf } from '../../../src/lib/member-of.ts'
import { MAX_KEY_SET_BYTES, MAX_KEYS } from '../../../src/limits.ts'
import { whyUnanswered } from '../../lib/ask.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'
import { ask, FEW_DAYS } from './probe.ts'

/** Checks a sender's key set, from a URL or a file. */
export async function checkJwks(source: URL | string | undefined): Promise<Finding[]> {
  if (source === undefined) return [skip('no key set was given', 'give --jwks with a URL or a file')]
  if (typeof source === 'string') return fromFile(source)
  try {
    return await fromHost(source)
  } catch (error) {
    return [fail(...whyUnanswered(error, source))]
  }
}

function fromFile(path: string): Finding[] {
  try {
    return setFindings(readFileSync(path))
  } catch {
    return [fail(`${path} cannot be read`, 'correct --jwks')]
  }
}

async function fromHost(url: URL): Promise<Finding[]> {
  const question = { method: 'GET', mostBytes: MAX_KEY_SET_BYTES + 1 } as const
  const { status, bytes, certificateDays } = await ask(url, question)
  const again = await ask(url, question)
  const findings: Finding[] = []
  if (url.protocol !== 'https:')
    findings.push(fail('the key set is not served over https', 'serve it over TLS'))
  if (certificateDays !== undefined && certificateDays < FEW_DAYS) {
    findings.push(warn(`the certificate of ${url.host} expires in ${certificateDays} days`, 'renew it'))
  }
  if (status >= 300 && status < 400) {
    return [
      ...findings,
      fail(
        `${url.host} redirects (${status}), and redirects are not followed`,
        'give the URL that it leads to',
      ),
    ]
  }
  if (status !== 200) return [...findings, fail(`${url.host} answers ${status}`, 'correct the URL')]
  if (!bytes.equals(again.bytes)) {
    findings.push(
      warn('two fetches gave different sets', 'make all servers behind this name serve the same keys'),
    )
  }
  return [...findings, ...setFindings(bytes)]
}

type Entry = { readonly [member: string]: unknown }

function setFindings(bytes: Buffer): Finding[] {
  if (bytes.length > MAX_KEY_SET_BYTES) return [fail('the key set is over 256 KB', 'remove old keys')]
  let keys: unknown
  try {
    keys = memberOf(JSON.parse(bytes.toString('utf8')), 'keys')
  } catch {
    return [fail('the key set is not JSON', 'give the URL of the key set, not of a page')]
  }
  if (!Array.isArray(keys)) return [fail('this is not a key set, { "keys": [...] }', 'correct the URL')]
  if (keys.length === 0)
    return [fail('the key set is empty', 'publish the public keys; hookgate keys makes a pair')]
  if (keys.length > MAX_KEYS) return [fail(`the key set has over ${MAX_KEYS} keys`, 'remove old keys')]
  const findings = keys.flatMap((key: Entry, index) => keyFindings(Object(key), index))
  const ids = keys.map((key) => `${memberOf(key, 'kid')} ${memberOf(key, 'kty')}`)
  const twice = ids.findIndex((id, index) => ids.indexOf(id) < index)
  if (twice >= 0)
    findings.push(fail(`keys[${twice}] has the kid of another key`, 'give each key its own kid'))
  return findings.length > 0 ? findings : [ok(`${keys.length} usable ${keys.length === 1 ? 'key' : 'keys'}`)]
}

/** Names keys by their index, because a kid is untrusted text. */
function keyFindings(key: Entry, index: number): Finding[] {
  const where = `keys[${index}]`
  if (key.kty === 'oct' || 'd' in key) {
    const fix = 'take the set offline, make new keys with hookgate keys, and publish only the public ones'
    return [
      fail(
        `${where} is a ${key.kty === 'oct' ? 'shared secret' : 'private key'}, and everyone can read it`,
        fix,
      ),
    ]
  }
  if (typeof key.kid !== 'string' || key.kid === '') {
    return [fail(`${where} has no kid, so no token can name it`, 'give each key a kid')]
  }
  const known = readJwk(key)
  if (known === undefined)
    return [warn(`${where} has a type that hookgate never uses`, 'use RSA, P-256 or Ed25519')]
  return known.problem
    ? [fail(`${where} is never used: ${known.problem}`, 'make another key: hookgate keys')]
    : []
}
