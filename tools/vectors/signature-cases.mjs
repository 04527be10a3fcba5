import { doubled, replaced, signatureValue, without } from './deliver.mjs'
import { otherSpellings, spell } from './spelling.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }

const LENIENT = 'The SDK decodes leniently. Senders use one spelling, so we accept no other.'
const JOINED =
  'Node joins repeated headers with a comma and the SDK reads the result as a list. We refuse a repeated signature header.'

export const withoutSignature = (header) => [
  { name: 'no signature header', change: { headers: without(header) }, expect: missing },
  { name: 'an empty signature header', change: { headers: replaced(header, '') }, expect: missing },
]

/** Refusals that apply to every signature header. */
export function signatureCases(recipe) {
  const { header, encoding, prefix = '' } = recipe.signature
  const spelt = (name, spelling, more) => ({ name, change: { spelling }, expect: mismatch, ...more })
  const rightly = (raw) => spell(raw, encoding)
  const sample = Buffer.alloc(recipe.signature.bytes ?? 32, 0xfb)
  return [
    ...withoutSignature(header),
    {
      name: 'the signature header twice',
      change: { headers: doubled(header) },
      expect: mismatch,
      lax: JOINED,
    },
    spelt('a truncated signature: one character shorter', (raw) => rightly(raw).slice(0, -1), {
      lax: LENIENT,
    }),
    spelt('a truncated signature: the first half', (raw) => rightly(raw.subarray(0, raw.length / 2))),
    ...(prefix === '' && !recipe.time?.item ? [] : [spelt('an empty signature', () => '')]),
    spelt('a lengthened signature: one byte longer', (raw) => rightly(Buffer.concat([raw, Buffer.of(0)]))),
    spelt('a lengthened signature: junk after it', (raw) => `${rightly(raw)}!`, { lax: LENIENT }),
    ...otherSpellings(sample, encoding).map(([name]) =>
      spelt(
        `the signature ${name}`,
        (raw) => otherSpellings(raw, encoding).find(([each]) => each === name)?.[1] ?? `${rightly(raw)}=`,
        {
          lax: LENIENT,
          needs: (raw) => otherSpellings(raw, encoding).some(([each]) => each === name),
        },
      ),
    ),
    spelt('a signature of zeros', (raw) => rightly(Buffer.alloc(raw.length))),
    spelt('one bit of the signature flipped', (raw) => {
      const flipped = Buffer.from(raw)
      flipped[flipped.length >> 1] ^= 1
      return rightly(flipped)
    }),
    ...(recipe.signature.weaker ? [weakerHash(recipe)] : []),
    ...(prefix === '' ? [] : prefixCases(recipe)),
  ]
}

/** Signed with the right key over the right bytes, but with a weaker hash. */
function weakerHash({ signature }) {
  const { hash, sign } = signature.weaker
  return {
    name: `signed with ${hash} instead`,
    change: {
      value: (value, { right, signed }) => value.replace(right, spell(sign(signed), signature.encoding)),
    },
    expect: mismatch,
  }
}

function prefixCases(recipe) {
  const { prefix, otherPrefix = 'v9=' } = recipe.signature
  const other = (name, as, more) => ({
    name,
    change: {
      value: (_, { right, time }) =>
        signatureValue({ ...recipe, signature: { ...recipe.signature, prefix: as } }, time, [right]),
    },
    expect: mismatch,
    ...more,
  })
  return [
    other('the signature without its prefix', '', {
      lax: 'The SDK accepts a signature without its prefix. The sender always writes the prefix.',
    }),
    other('the prefix of another version', otherPrefix, {
      lax: 'The SDK ignores the version. Another version may be signed differently.',
    }),
    other('the prefix in upper case', prefix.toUpperCase(), {
      lax: 'The SDK ignores the prefix’s letter case. The sender writes it in lower case.',
    }),
  ]
}

/** For senders that may put several signatures into one header, and for those that never do. */
export function listCases(recipe) {
  const wrong = (raw) =>
    spell(
      Buffer.from(raw, 0).map((byte) => byte ^ 0x55),
      recipe.signature.encoding,
    )
  const listed = (name, order, expect, more) => ({
    name,
    change: {
      value: (_, { right, signWith, time }) =>
        signatureValue(recipe, time, order(right, wrong(signWith({})))),
    },
    expect,
    ...more,
  })
  if (!recipe.signature.list) {
    return [
      listed('two signatures in a header that holds one', (right, bad) => [bad, right], mismatch),
      listed(
        'the right signature, then another in a header that holds one',
        (right, bad) => [right, bad],
        mismatch,
        {
          lax: 'The SDK stops reading after the first signature. The sender never sends two.',
        },
      ),
    ]
  }
  const accepted = recipe.signature.several === false ? mismatch : { ok: true }
  return [
    listed('a wrong signature, then the right one', (right, bad) => [bad, right], accepted, {
      strict: 'The SDK checks only one signature. During a rotation, the header may have two.',
      lax: 'The SDK reads on. The sender never sends two.',
    }),
    listed('the right signature, then a wrong one', (right, bad) => [right, bad], accepted, {
      strict: 'The SDK checks only one signature. During a rotation, the header may have two.',
      lax: 'The SDK reads the first one only. The sender never sends two.',
    }),
    listed('two wrong signatures', (_, bad) => [bad, bad], mismatch),
  ]
}
