const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const notJson = { ok: false, status: 400, reason: 'body_not_json' }

const UNPARSED =
  'The SDK checks only the signature, not the body. We parse the body, and refuse anything but JSON.'

const PARSED = 'The SDK parses the body unless it is told not to, and takes JSON only.'

/** Bodies that change on the way, and unusual bodies with a right signature. */
export function bodyCases(recipe) {
  const rightly = (name, body, more) => ({
    name,
    change: { body },
    expect: { ok: true },
    otherBody: true,
    ...more,
  })
  const tampered = (name, sentBody, more) => ({ name, change: { sentBody }, expect: mismatch, ...more })
  const unparsed = recipe.takesAnyBody
    ? { expect: { ok: true }, strict: PARSED }
    : { expect: notJson, lax: UNPARSED }
  const unsigned = recipe.covers === 'body' ? [] : undefined
  const samples = [
    rightly(
      'a body with characters outside ASCII',
      inBody(recipe, '{ "note": "Grüße, 漢字, 🚀 \\u00e9 \\/" }'),
    ),
    rightly('a body with CRLF line ends', inBody(recipe, '{\r\n  "note": "two lines"\r\n}\r\n')),
    rightly('an empty object', inBody(recipe, '{}')),
    rightly('a top-level array', inBody(recipe, '[{ "note": 1 }, { "note": 2 }]'), {
      skip: recipe.time?.member,
    }),
    rightly('a body that is not JSON, correctly signed', '{"note": ', unparsed),
    rightly('an empty body, correctly signed', '', unparsed),
    rightly(
      'bytes that are not UTF-8, correctly signed',
      Buffer.from('7b226e6f7465223a22ff227d', 'hex'),
      unparsed,
    ),
  ]
  return [
    ...(unsigned ?? []),
    tampered('one byte of the body changed', (body) => flip(body)),
    tampered('a space after the body', (body) => Buffer.concat([body, Buffer.from(' ')])),
    tampered('the last byte of the body missing', (body) => body.subarray(0, -1)),
    tampered('the body parsed and serialized again', (body) => JSON.stringify(JSON.parse(body))),
    tampered('another body under the signature', () => inBodyText(recipe, '{ "note": "another" }')),
    ...samples,
  ]
}

/** Changes a letter in the middle of the body, which stays JSON. */
function flip(body) {
  const changed = Buffer.from(body)
  const at = changed.findIndex((byte, index) => index > body.length / 2 && byte >= 0x61 && byte < 0x7a)
  if (at < 0) throw new Error('no letter to change')
  changed[at] += 1
  return changed
}

/** Senders that sign the time inside the body have it in every body. */
function inBody(recipe, sample) {
  const member = recipe.time?.member
  if (!member || recipe.time.of === 'event') return sample
  return (time) =>
    sample.replace(/^\{/, `{ "${member.slice(1)}": ${time}${/^\{\s*\}/.test(sample) ? '' : ','}`)
}

const inBodyText = (recipe, sample) => {
  const made = inBody(recipe, sample)
  return typeof made === 'function' ? made('1') : made
}
