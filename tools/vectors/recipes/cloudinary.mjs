import { createHash } from 'node:crypto'
import { bodyOnly } from '../common.mjs'

/** Not an HMAC, but a plain hash with the secret at the end. */
const hashed = ({ secret, time, body }) =>
  createHash('sha1').update(body).update(time).update(secret).digest()

const recipe = bodyOnly('cloudinary', 'X-Cld-Signature', {
  sdk: 'cloudinary',
  hash: 'sha1',
  time: { header: 'X-Cld-Timestamp', unit: 'seconds', of: 'attempt', tolerance: 7200 },
  body: '{"notification_type": "upload", "timestamp": "2025-11-20T11:59:59+00:00", "request_id": "r", "public_id": "sample"}',
  expect: { type: 'upload' },
})

export default [
  {
    ...recipe,
    keys: {
      new: 'NEWq8fZkO0bD3W7yR2sT5uV1xY4',
      old: 'OLDq8fZkO0bD3W7yR2sT5uV1xY4',
      foreign: 'XXXq8fZkO0bD3W7yR2sT5uV1xY4',
    },
    signature: { ...recipe.signature, sign: hashed, weaker: undefined },
    moreCases: () => [
      {
        name: 'a digit moved from the body to the time, which the plain hash does not see',
        change: { body: '[17', time: '63640000', sentBody: () => '[', sentTime: () => '1763640000' },
        expect: { ok: false, status: 400, reason: 'body_not_json' },
        lax: 'The SDK does not check the body. Nothing separates the body from the time, so the hash cannot tell them apart.',
      },
    ],
  },
]
