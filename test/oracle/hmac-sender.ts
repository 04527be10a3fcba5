import { createHash, createHmac } from 'node:crypto'
import { type DeliveryDraft, garble, type Oddity, textOf } from './delivery-draft.ts'
import { fill, near, ODD_TEXTS } from './odd-texts.ts'
import type { Random } from './random.ts'

/** A listener with one or several secrets, and the way its sender signs. */
export interface Sender {
  readonly setup: object
  /** Signs the draft, correctly or not. */
  sign(draft: DeliveryDraft, random: Random, now: number): void
}

const SECRETS = [
  ...[
    'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs',
    'geheim-Zoë-🙂-0123456789',
    '0123456789abcdef',
    'é'.repeat(16),
  ],
  ...[
    'e\u0301'.repeat(8),
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'k'.repeat(64),
    'k'.repeat(65),
    'nul\u0000nul\u0000nul\u0000nul\u0000',
  ],
]
const ODD_SECRETS = [
  '0123456789abcde',
  '',
  ' '.repeat(20),
  '\ud800'.repeat(16),
  'a\udc00'.repeat(20),
  '\t'.repeat(16),
  '😀'.repeat(8),
  '😀'.repeat(7),
  'é'.repeat(15),
]

export function hmacSender(random: Random): Sender {
  const secrets = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, place) => ({
    id: `secret-${place}`,
    secret: random.chance(0.01)
      ? random.pick(ODD_SECRETS)
      : (SECRETS[(random.below(3) + place * 3) % SECRETS.length] ?? ''),
  }))
  return {
    setup: { hmac: secrets },
    sign(draft, chance) {
      const isOdd = chance.chance(0.3)
      const isKnown = !isOdd || chance.chance(0.8)
      const secret = isKnown ? chance.pick(secrets).secret : chance.pick(SECRETS)
      draft.headers['webhook-signature'] = mac(secret, signedParts(draft)).toString('base64url')
      if (!isKnown) draft.odd.push('perhaps another secret')
      if (isOdd) draft.odd.push(chance.pick(ODD_SIGNATURES)(draft, chance, 0))
      if (chance.chance(0.02)) draft.headers.authorization = 'Bearer a.b.c'
    },
  }
}

function mac(secret: string | Buffer, parts: readonly (string | Buffer)[]): Buffer {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

function signedParts(draft: DeliveryDraft): readonly (string | Buffer)[] {
  return [`${textOf(draft, 'webhook-timestamp')}.${textOf(draft, 'webhook-event-id')}.`, draft.body]
}

/** The signature in another spelling. */
const spelling: Oddity<DeliveryDraft> = (draft, random) => {
  const text = textOf(draft, 'webhook-signature')
  const bytes = Buffer.from(text, 'base64url')
  const parts = {
    ...{ s: text, short: text.slice(0, -1), upper: text.toUpperCase(), lower: text.toLowerCase() },
    ...{ standard: bytes.toString('base64'), hexadecimal: bytes.toString('hex') },
    plus: text.replaceAll('-', '+').replaceAll('_', '/'),
    near: near(text, random.pick([1, 2, 3])),
    twice: Buffer.concat([bytes, bytes]).toString('base64url'),
    half: bytes.subarray(0, 16).toString('base64url'),
    longer: Buffer.concat([bytes, Buffer.of(0)]).toString('base64url'),
  }
  const isGarbled = random.chance(0.1)
  draft.headers['webhook-signature'] = isGarbled
    ? garble(text, random)
    : fill(random.pick(ODD_TEXTS.signatures), parts)
  return 'signature spelt otherwise'
}

const otherInput: Oddity<DeliveryDraft> = (draft, random) => {
  const [prefix = '', body = ''] = signedParts(draft)
  const [timestamp = '', id = ''] = `${prefix}`.split('.')
  const secret = SECRETS[0] ?? ''
  const digest = random.pick([
    () => mac(secret, [`${id}.${timestamp}.`, body]),
    () => mac(secret, [body]),
    () => mac(secret, [prefix]),
    () => mac(secret, [`${timestamp}.${id}`, body]),
    () => mac(secret, [`${timestamp}.${id.toUpperCase()}.`, body]),
    () => mac(Buffer.from(secret, 'base64url'), [prefix, body]),
    () => mac(secret.normalize('NFC'), [prefix, body]),
    () => createHash('sha256').update(body).digest(),
  ])()
  draft.headers['webhook-signature'] = digest.toString('base64url')
  return 'another input signed'
}

const changedAfterwards: Oddity<DeliveryDraft> = (draft, random, now) => {
  const change = random.below(4)
  if (change === 0) draft.body = Buffer.concat([draft.body, Buffer.from(random.pick([' ', '\n', '']))])
  if (change === 1) draft.headers['webhook-event-id'] = random.uuid()
  if (change === 2) draft.headers['webhook-event-id'] = textOf(draft, 'webhook-event-id').toUpperCase()
  if (change === 3)
    draft.headers['webhook-timestamp'] =
      `${Number(textOf(draft, 'webhook-timestamp')) + random.pick([0, 1, now])}`
  return 'changed after it was signed'
}

const ODD_SIGNATURES = [spelling, spelling, otherInput, changedAfterwards]
