import type { Oddity } from './delivery-draft.ts'
import { fill, near, ODD_TEXTS } from './odd-texts.ts'
import type { Random } from './random.ts'
import { memberOf, setMember, type TokenDraft, writeObject } from './token-draft.ts'

/** A number around a limit, in several spellings, or none at all. */
function someNumber(bound: number, random: Random): string {
  const parts = { n: `${bound}`, before: `${bound - 1}`, after: `${bound + 1}` }
  return random.chance(0.35)
    ? random.pick(ODD_TEXTS.numbers)
    : fill(random.pick(ODD_TEXTS.nearNumbers), parts)
}

const expiry: Oddity<TokenDraft> = (token, random, now) => {
  const json = someNumber(random.pick([now, now + 600]), random)
  setMember(token.claims, 'exp', json)
  return `exp ${json}`
}

const otherTimes: Oddity<TokenDraft> = (token, random, now) => {
  const name = random.pick(['nbf', 'iat'])
  const json = random.chance(0.2) ? `${now - 60}` : someNumber(now, random)
  setMember(token.claims, name, json)
  return `${name} ${json}`
}

/** A string claim respelt (rightly or wrongly), wrapped, or changed. */
function respelt(json: string, random: Random): string {
  const text = /^"([^"\\]*)"$/.exec(json)?.[1]
  if (text === undefined) return 'null'
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const parts = {
    ...{ j: json, c: text, short: text.slice(0, -1), upper: text.toUpperCase() },
    escaped: [...text].map(toEscape).join(''),
    slashes: text.replaceAll('/', '\\/'),
  }
  return fill(random.pick(ODD_TEXTS.claims), parts)
}

const spelling: Oddity<TokenDraft> = (token, random) => {
  const name = random.pick(['sub', 'aud', 'aud', 'jti', 'htm', 'htb_s256'])
  const json = respelt(memberOf(token.claims, name), random)
  setMember(token.claims, name, json)
  return `${name} ${json.slice(0, 60)}`
}

const bodyHash: Oddity<TokenDraft> = (token, random) => {
  const text = memberOf(token.claims, 'htb_s256').slice(1, -1)
  const bytes = Buffer.from(text, 'base64url')
  const other = random.pick([
    ...[`${text}=`, bytes.toString('base64'), bytes.toString('hex'), text.toLowerCase(), near(text, 1)],
    ...[near(text, 2), near(text, 3), text.slice(0, -1), `${text}A`, `${text}\n`],
  ])
  setMember(token.claims, 'htb_s256', JSON.stringify(other))
  return 'htb_s256'
}

const more: Oddity<TokenDraft> = (token, random) => {
  const name = random.pick(['iss', 'x', '__proto__', 'constructor', 'EXP', 'crit', 'b64', ''])
  token.claims.push([name, random.pick(['null', '"x"', '{"exp":0}', '[]', '-0', '1e400'])])
  return `more: ${name}`
}

/** A member that makes the token 8192 characters long, or up to two more or fewer. */
const long: Oddity<TokenDraft> = (token, random) => {
  const characters = 8192 + random.pick([-2, -1, 0, 1, 2])
  const header = Buffer.from(writeObject(token.header)).toString('base64url')
  const signature = token.key.sign('').toString('base64url')
  const payloadBytes = Math.floor(((characters - header.length - signature.length - 2) * 3) / 4)
  const missing = payloadBytes - Buffer.byteLength(writeObject([...token.claims, ['pad', '""']]))
  token.claims.push(['pad', JSON.stringify('a'.repeat(Math.max(0, missing)))])
  return `some ${characters} characters`
}

export const ODD_CLAIMS: readonly Oddity<TokenDraft>[] = [
  ...[expiry, expiry, expiry, expiry, otherTimes, otherTimes],
  ...[spelling, spelling, spelling, spelling, bodyHash, more, long],
]
