import { createHash } from 'node:crypto'
import { type DeliveryDraft, makeOdd, textOf } from './delivery-draft.ts'
import type { Sender } from './hmac-sender.ts'
import { type KeySetDraft, someKeySet } from './key-sets.ts'
import { oddAuthorization, oddSegment } from './odd-authorization.ts'
import { ODD_CLAIMS } from './odd-claims.ts'
import { oddSignature } from './odd-signatures.ts'
import { ODD_TOKENS } from './odd-tokens.ts'
import type { Random } from './random.ts'
import { type TokenDraft, writeObject } from './token-draft.ts'

const SUBJECT = 'https://tenant.example'
const AUDIENCE = 'https://tenant.example/api/v1/webhooks/incoming/L1'

export function jwtSender(random: Random): Sender {
  const keySet = someKeySet(random)
  return {
    setup: { jwt: { subject: SUBJECT, audience: AUDIENCE, jwks: { keys: keySet.keys } } },
    sign(draft, chance, now) {
      const token = newToken(draft, keySet, chance, now)
      const oddPart = chance.chance(0.75) ? chance.below(8) : undefined
      if (oddPart === 0 || oddPart === 1) makeOdd(token, ODD_TOKENS, chance, now)
      if (oddPart !== undefined && oddPart >= 2 && oddPart <= 4) makeOdd(token, ODD_CLAIMS, chance, now)
      if (oddPart === 5) draft.odd.push('segment')
      if (oddPart === 6) draft.odd.push('signature')
      const compact = writeToken(token, chance, oddPart)
      draft.headers.authorization =
        oddPart === 7 ? oddAuthorization(compact, draft, chance) : `Bearer ${compact}`
      if (chance.chance(0.02)) draft.headers['webhook-signature'] = 'x'
    },
  }
}

function newToken(draft: DeliveryDraft, keySet: KeySetDraft, random: Random, now: number): TokenDraft {
  const digest = createHash('sha256').update(draft.body).digest('base64url')
  const [algorithm, keyId] = [keySet.signingKey.algorithm, keySet.keyId]
  return {
    header: [
      ['alg', JSON.stringify(algorithm)],
      ['kid', JSON.stringify(keyId)],
    ],
    claims: [
      ['sub', JSON.stringify(SUBJECT)],
      ['aud', JSON.stringify(AUDIENCE)],
      ['exp', `${now + random.pick([1, 60, 300, 599, 600])}`],
      ['jti', JSON.stringify(textOf(draft, 'webhook-event-id'))],
      ['htm', '"POST"'],
      ['htb_s256', JSON.stringify(digest)],
    ],
    key: keySet.signingKey,
    keySet,
    odd: draft.odd,
  }
}

function writeToken(token: TokenDraft, random: Random, oddPart: number | undefined): string {
  const objects = [writeObject(token.header), writeObject(token.claims)]
  const texts: Buffer[] = objects.map((text) => Buffer.from(text))
  const part = random.below(2)
  const chosen = texts[part]
  if (oddPart === 5 && chosen !== undefined) texts[part] = oddSegment(chosen.toString(), random)
  const input = texts.map((text) => text.toString('base64url')).join('.')
  const signature = token.key.sign(input)
  const sent = oddPart === 6 ? oddSignature(signature, token.key, input, random) : signature
  return `${input}.${sent.toString('base64url')}`
}
