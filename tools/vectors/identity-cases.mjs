import { doubled, replaced, without } from './deliver.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

const malformed = { ok: false, status: 400, reason: 'event_id_malformed' }

export function secretCases({ keys }) {
  return [
    {
      name: 'signed with the second secret of a rotation',
      change: { secret: keys.old },
      expect: { ok: true, secretId: 'old' },
    },
    { name: 'signed with another account\u2019s secret', change: { secret: keys.foreign }, expect: mismatch },
  ]
}

export function idCases({ id }) {
  if (!id?.header) return []
  if (!id.signed) {
    return [
      {
        name: 'another ID in the header, which nothing signs',
        change: { sentId: 'replaced-on-the-way' },
        expect: { ok: true },
        id: 'replaced-on-the-way',
      },
      {
        name: 'no ID header',
        change: { headers: without(id.header) },
        expect: { ok: true },
        id: null,
        strict: 'The SDK requires the header. It is not signed, so we do not need it.',
      },
    ]
  }
  return [
    {
      name: 'an ID of 256 characters',
      change: { id: 'i'.repeat(256) },
      id: 'i'.repeat(256),
      expect: { ok: true },
    },
    {
      name: 'an ID of 257 characters, correctly signed',
      change: { id: 'i'.repeat(257) },
      expect: malformed,
      lax: 'The SDK does not limit the ID. We accept at most 256 characters.',
    },
    ...(id.divider ? [dividedId(id)] : []),
    { name: 'the ID changed after signing', change: { sentId: `${id.value}0` }, expect: mismatch },
    {
      name: 'another ID, correctly signed',
      change: { id: 'any text, up to 256 characters' },
      id: 'any text, up to 256 characters',
      expect: { ok: true },
    },
    {
      name: 'no ID header',
      change: { headers: without(id.header) },
      expect: { ok: false, status: 400, reason: 'header_missing' },
    },
    {
      name: 'an empty ID header',
      change: { headers: replaced(id.header, '') },
      expect: { ok: false, status: 400, reason: 'header_missing' },
    },
    {
      name: 'the ID header twice',
      change: { headers: doubled(id.header) },
      expect: { ok: false, status: 400, reason: 'header_repeated' },
    },
  ]
}

/** With the divider inside the ID, two readings would have the same signature. */
const dividedId = ({ value, divider }) => ({
  name: 'an ID that contains the separator of the signed parts',
  change: { id: `${value}${divider}1` },
  expect: malformed,
  lax: 'The SDK accepts it. An ID that contains the separator is ambiguous, and no sender uses one.',
})

/** The content type is not signed, so a body without one is read as the sender's usual type. */
export function contentTypeCases({ takesAnyBody }) {
  return [
    {
      name: 'no content type, which nothing signs',
      change: { headers: (list) => list.filter(([name]) => name !== 'Content-Type') },
      expect: { ok: true },
    },
    {
      name: 'a content type that the sender does not send',
      change: { headers: replaced('Content-Type', 'application/xml') },
      expect: { ok: false, status: 400, reason: 'content_type_not_accepted' },
      lax: 'The SDK ignores the content type. We parse the body according to it.',
      skip: takesAnyBody,
    },
  ]
}

/** Events come by POST only. */
export const methodCases = () => [
  {
    name: 'the method GET, correctly signed',
    change: { sentMethod: 'GET' },
    expect: { ok: false, status: 405, reason: 'method_not_post' },
    lax: 'The SDK ignores the method.',
  },
]

/** The signed URL is exactly the configured one. */
export function urlCases({ publicUrl }) {
  if (!publicUrl) return []
  const signedFor = (name, url, more) => ({
    name: `signed for ${name}`,
    change: { url },
    expect: mismatch,
    ...more,
  })
  const more = { lax: 'The SDK also tries other spellings of the URL.' }
  return [
    signedFor('another host', publicUrl.replace('receiver.example', 'other.example'), more),
    signedFor('another path', publicUrl.replace(/(\?|$)/, '/more$1'), more),
    signedFor('another query', `${publicUrl}${publicUrl.includes('?') ? '&' : '?'}more=1`, more),
    signedFor('plain http', publicUrl.replace('https:', 'http:'), more),
  ]
}
