import type { Oddity } from './delivery-draft.ts'
import { QUICK_KEYS } from './signing-keys.ts'
import { type Member, memberOf, removeMember, setMember, type TokenDraft } from './token-draft.ts'

/** JSON values that are not valid strings. */
const NO_STRINGS = ['null', '1', 'true', '[]', '{}', '""']

const ALGORITHMS = [
  ...[
    'none',
    'None',
    'HS256',
    'RS256',
    'ES256',
    'EdDSA',
    'Ed25519',
    'PS256',
    'RS384',
    'RS512',
    'ES384',
    'ES256K',
  ],
  ...['rs256', 'es256', 'eddsa', 'EDDSA', 'ES256 ', '__proto__', 'constructor', 'toString'],
].map((name) => JSON.stringify(name))

const algorithm: Oddity<TokenDraft> = (token, random) => {
  setMember(
    token.header,
    'alg',
    random.pick([...ALGORITHMS, ...NO_STRINGS, '["ES256"]', '"E\\u0053256"', '"\\u0045dDSA"']),
  )
  return 'alg'
}

const keyId: Oddity<TokenDraft> = (token, random) => {
  const known = memberOf(token.header, 'kid')
  const text = JSON.stringify(token.keySet.keyId)
  const others = token.keySet.keys.map(({ kid }) => JSON.stringify(kid) ?? 'null')
  setMember(
    token.header,
    'kid',
    random.pick([
      ...NO_STRINGS,
      ...others,
      `[${known}]`,
      text.toUpperCase(),
      text.replace(/"$/, ' "'),
      '"nobody"',
      '"\\udc00"',
    ]),
  )
  return 'kid'
}

const HEADER_MEMBERS: readonly Member[] = [
  ...['[]', '["exp"]', '["b64"]', 'null', '"exp"', '{}'].map((json) => ['crit', json] as const),
  ...['true', 'false', 'null', '"false"'].map((json) => ['b64', json] as const),
  ...['"JWT"', '"jwt"', '1', 'null', '"at+jwt"', '{}'].map((json) => ['typ', json] as const),
  ['cty', '"JWT"'],
  ['zip', '"DEF"'],
  ['enc', '"A256GCM"'],
  ['p2c', '2147483647'],
  ['jku', '"https://attacker.example/jwks"'],
  ['jwk', '{"kty":"oct","k":"AA"}'],
  ['x5c', '["MIIB"]'],
  ['x5u', '1'],
  ['nonce', '"n"'],
  ['url', '[]'],
  ['__proto__', '{"crit":["x"]}'],
  ['constructor', '{"a":1,"a":2}'],
  ['\u212aid', '"key-1"'],
  ['Alg', '"none"'],
  ['x', '1e400'],
]

const headerMember: Oddity<TokenDraft> = (token, random) => {
  const [name, json] = random.pick(HEADER_MEMBERS)
  token.header.splice(random.below(token.header.length + 1), 0, [name, json])
  return `header member ${name} ${json}`
}

const missing: Oddity<TokenDraft> = (token, random) => {
  const isHeader = random.chance(0.3)
  const members = isHeader ? token.header : token.claims
  const [name] = random.pick(members)
  if (isHeader) token.header = removeMember(members, name)
  else token.claims = removeMember(members, name)
  return `${name} missing`
}

const twice: Oddity<TokenDraft> = (token, random) => {
  const members = random.chance(0.5) ? token.header : token.claims
  const [name, json] = random.pick(members)
  const other = random.pick([json, 'null', '1', '"x"', '"none"'])
  members.splice(random.below(members.length + 1), 0, [name, other])
  return `${name} twice`
}

const nested: Oddity<TokenDraft> = (token, random) => {
  const deep = `${'['.repeat(2000)}${']'.repeat(2000)}`
  const json = random.pick([
    '{"a":1,"a":2}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}}}',
    '[[{"b":1,"b":1}]]',
    deep,
    '"{\\"a\\":1,\\"a\\":2}"',
  ])
  const members = random.chance(0.3) ? token.header : token.claims
  members.push(['extra', json])
  return `extra ${json.slice(0, 20)}`
}

const otherKey: Oddity<TokenDraft> = (token, random) => {
  token.key = random.pick(QUICK_KEYS)
  if (random.chance(0.5)) setMember(token.header, 'alg', JSON.stringify(token.key.algorithm))
  return 'perhaps another key'
}

const otherKeysId: Oddity<TokenDraft> = (token) => {
  const known = memberOf(token.header, 'alg')
  const other = token.keySet.keys.find(
    ({ alg, kid }) => JSON.stringify(alg) === known && kid !== token.keySet.keyId,
  )
  setMember(token.header, 'kid', JSON.stringify(other?.kid ?? 'nobody'))
  return "another key's kid"
}

export const ODD_TOKENS: readonly Oddity<TokenDraft>[] = [
  ...[
    algorithm,
    algorithm,
    keyId,
    keyId,
    headerMember,
    headerMember,
    missing,
    missing,
    twice,
    twice,
    nested,
    otherKey,
  ],
  ...[otherKeysId],
]
