import { bytesOf, decoded } from './keys.mjs'

/** Polar signs with the text of the whole secret. Release 1 of its SDK also tries the decoded bytes. */
export function polarCases({ keys }) {
  const asBase64 = `whsec_${bytesOf('polar/base64').toString('base64')}`
  return [
    {
      name: 'a secret that looks like base64, signed with its text',
      options: { secrets: asBase64 },
      change: { secret: asBase64 },
      expect: { ok: true },
    },
    {
      name: 'a secret that looks like base64, signed with its decoded bytes',
      options: { secrets: asBase64 },
      change: {
        value: (_, { signWith }) => `v1,${signWith({ secret: decoded(asBase64) }).toString('base64')}`,
      },
      expect: { ok: false, status: 401, reason: 'signature_mismatch' },
      lax: 'The SDK tries the secret as text and as base64. Polar signs with the text.',
    },
    {
      name: 'a secret without the prefix of its kind',
      options: { secrets: keys.new.slice('polar_whs_'.length) },
      expect: { ok: false, status: 401, reason: 'signature_mismatch' },
    },
  ]
}
