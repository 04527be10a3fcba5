import { macOver, NOW } from './common.mjs'
import { ed25519Of } from './keys.mjs'
import { ed25519 } from './sign.mjs'

const SIGNED = ['{id}', '.', '{time}', '.', '{body}']
const V1A_BODY = '{"type": "invoice.paid", "data": {"id": "in_1"}}'

/** Version 1a, Ed25519. No reference library implements it, so none judges it. */
export function v1aCases() {
  const ours = ed25519Of('standard-webhooks/v1a')
  const foreign = ed25519Of('standard-webhooks/v1a/foreign')
  const options = { publicKeys: `whpk_${ours.publicKey.toString('base64')}` }
  const message = ({ time = String(NOW), body = V1A_BODY } = {}) => [
    'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
    '.',
    time,
    '.',
    body,
  ]
  const signed = (key, parts) => ed25519(key.privateKey, parts).toString('base64')
  const right = signed(ours, message())
  const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
  const given = (name, value, expect, more = {}) => ({
    name: `v1a: ${name}`,
    options,
    change: { body: V1A_BODY, value: () => value, ...more.change },
    expect,
    notAsked: true,
    otherBody: true,
    ...more.rest,
  })
  const stale = String(NOW - 301)
  return [
    given('a delivery as the sender makes it', `v1a,${right}`, { ok: true }),
    given('a v1 signature, then the right one', `v1,${Buffer.alloc(32, 7).toString('base64')} v1a,${right}`, {
      ok: true,
    }),
    given('a wrong signature, then the right one', `v1a,${signed(foreign, message())} v1a,${right}`, {
      ok: true,
    }),
    given('the signature of another\u2019s key', `v1a,${signed(foreign, message())}`, mismatch),
    given('one byte of the body changed', `v1a,${right}`, mismatch, {
      change: { sentBody: () => V1A_BODY.replace('paid', 'pald') },
    }),
    given('a truncated signature', `v1a,${right.slice(0, -4)}`, mismatch),
    given(
      'the signature in base64url',
      `v1a,${Buffer.from(right, 'base64').toString('base64url')}`,
      mismatch,
    ),
    given('the signature without its prefix', right, mismatch),
    given('the signature under the version of HMAC', `v1,${right}`, mismatch),
    given(
      'an HMAC whose key is the public key',
      `v1,${macOver('sha256', SIGNED)({ secret: ours.publicKey, id: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', time: String(NOW), body: V1A_BODY }).toString('base64')}`,
      mismatch,
    ),
    given('a signature of zeros', `v1a,${Buffer.alloc(64).toString('base64')}`, mismatch),
    given(
      'one second older than the tolerance',
      `v1a,${signed(ours, message({ time: stale }))}`,
      { ok: false, status: 400, reason: 'timestamp_out_of_range' },
      { change: { time: stale } },
    ),
    given('the time changed after signing', `v1a,${right}`, mismatch, {
      change: { sentTime: () => String(NOW - 1) },
    }),
  ]
}
