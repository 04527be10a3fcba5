import { NO_TIME, NOW } from '../common.mjs'
import { bothOf, secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'
import { twilioJsonCases } from '../twilio-json-cases.mjs'

const URL = 'https://receiver.example/hooks/twilio?tenant=7'
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

/** The URL and every field, sorted by name. Repeated values of a name count once, sorted. */
function signedText(url, form) {
  const fields = new Map()
  for (const [name, value] of new URLSearchParams(form))
    fields.set(name, [...(fields.get(name) ?? []), value])
  const names = [...fields.keys()].sort()
  return (
    url + names.flatMap((name) => [...new Set(fields.get(name))].sort().map((value) => name + value)).join('')
  )
}

const keys = secretsOf('twilio', (bytes) => bytes.toString('hex').slice(0, 32))
const FORM =
  'ApiVersion=2010-04-01&AccountSid=AC0123&Body=Hi+there&From=%2B15017122661&MessageSid=SM0123&NumMedia=0&To=%2B15558675310'
const options = {
  secrets: bothOf(keys),
  publicUrl: URL,
}

export default [
  {
    scheme: 'twilio',
    sdk: 'twilio',
    now: NOW,
    keys,
    options,
    publicUrl: URL,
    contentType: 'application/x-www-form-urlencoded; charset=utf-8',
    extra: [['I-Twilio-Idempotency-Token', '18f0fa47-3cdb-4d96-9d7c-d3c2b7b1c8a2']],
    body: FORM,
    salt: (form, count) => `${form}&Salt=${count}`,
    signature: {
      header: 'X-Twilio-Signature',
      encoding: 'base64',
      bytes: 20,
      sign: ({ secret, url, body, json }) =>
        hmac('sha1', secret, [json ? url : signedText(url, body.toString())]),
      weaker: {
        hash: 'sha256',
        sign: ({ secret, url, body }) => hmac('sha256', secret, [signedText(url, body.toString())]),
      },
    },
    ownBodies: true,
    moreCases: () => [...formCases(), ...getCases(), ...twilioJsonCases(URL), ...urlCases()],
    notApplicable: {
      'stale and future time': NO_TIME,
      'a list of signatures': 'The header holds one signature.',
      'a body that does not parse': 'The signature is over the parsed fields.',
    },
  },
]

function formCases() {
  const form = (name, body, more = {}) => ({
    name,
    change: { body, ...more.change },
    expect: more.expect ?? { ok: true },
  })
  const sent = (name, sentBody, expect = mismatch) =>
    form(name, FORM, { change: { sentBody: () => sentBody }, expect })
  return [
    form('fields outside ASCII', 'Body=%C3%A4+%F0%9F%9A%80+%E6%BC%A2&From=x'),
    form('a field with an empty value and one without', 'Body=&NumMedia=0&Flag'),
    form(
      'a field that comes twice',
      'MediaUrl=https%3A%2F%2Fb.example%2F&MediaUrl=https%3A%2F%2Fa.example%2F&To=x',
    ),
    form('a field that comes twice with one value', 'Digits=1&Digits=1&To=x'),
    form('names in upper and lower case, sorted by code unit', 'b=1&B=2&a=3&A=4&_=5&%C3%A4=6'),
    form('blanks as plus signs and as percent codes', 'Body=a+b%20c%2Bd'),
    form('no fields at all', ''),
    sent(
      'the fields in another order, which the signature does not see',
      FORM.split('&').reverse().join('&'),
      { ok: true },
    ),
    sent('one value changed', FORM.replace('Hi+there', 'Hi+therf')),
    sent('a field added', `${FORM}&Extra=1`),
    sent('a field taken away', FORM.replace('&NumMedia=0', '')),
    sent('a field doubled with another value', `${FORM}&NumMedia=1`),
    sent(
      'a letter moved from a name to its value, which the signature does not see',
      FORM.replace('NumMedia=0', 'NumMedi=a0'),
      {
        ok: true,
      },
    ),
  ]
}

/** A GET has its fields in its URL, after those that you entered, and the URL alone is signed. */
function getCases() {
  const fields = 'AccountSid=AC0123&CallSid=CA0123&From=%2B15017122661&SpeechResult=Hi+there%21+%C3%A4'
  const get = (name, signedUrl, requestUrl, expect, more) => ({
    name: `GET: ${name}`,
    requestUrl,
    change: {
      url: signedUrl,
      body: '',
      sentMethod: 'GET',
      headers: (list) => list.filter(([header]) => header !== 'Content-Type'),
    },
    expect,
    ...more,
  })
  const honest = `${URL}&${fields}`
  const bare = `${URL.split('?')[0]}?${fields}`
  return [
    get('a delivery as the sender makes it', honest, honest, { ok: true }),
    get('one value changed', honest, honest.replace('CA0123', 'CA0124'), mismatch),
    get('a field added', honest, `${honest}&Extra=1`, mismatch),
    get('signed with another host', honest.replace('receiver', 'other'), honest, mismatch),
    get('without the query of the configured URL', bare, bare, mismatch, {
      lax: 'The SDK takes the URL from its caller.',
    }),
  ]
}

function urlCases() {
  const at = (name, publicUrl, url, expect, more) => ({
    name: `URL: ${name}`,
    options: { secrets: keys.new, publicUrl },
    change: { url },
    expect,
    ...more,
  })
  return [
    at(
      'with a port that is not the default',
      'https://receiver.example:8443/in',
      'https://receiver.example:8443/in',
      { ok: true },
    ),
    at(
      'with percent codes',
      'https://receiver.example/in?a=%27b%27',
      'https://receiver.example/in?a=%27b%27',
      { ok: true },
    ),
    at(
      'signed with another port',
      'https://receiver.example:8443/in',
      'https://receiver.example:9443/in',
      mismatch,
    ),
  ]
}
