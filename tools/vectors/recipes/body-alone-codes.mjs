import { bodyOnly } from '../common.mjs'
import { secretsOf } from '../keys.mjs'

const malformed = { ok: false, status: 400, reason: 'body_malformed' }

/** What the CRC signs for anyone who asks. */
const tokens = ['123', 'null', 'true', '-1', '0'].map((body) => ({
  name: `the JSON ${body}, correctly signed, as the CRC signs it for anyone`,
  change: { body },
  otherBody: true,
  expect: malformed,
}))

export default [
  bodyOnly('x', 'x-twitter-webhooks-signature', {
    source: 'X\u2019s documentation of webhooks; its SDK has no verifier',
    encoding: 'base64',
    prefix: 'sha256=',
    otherPrefix: 'sha1=',
    body: '{"for_user_id": "2244994945", "tweet_create_events": [{"created_at": "Thu Nov 20 11:59:59 +0000 2025", "id_str": "1991472000000000000", "text": "hello"}]}',
    without: ['a top-level array'],
    moreCases: () => [
      ...tokens,
      {
        name: 'a list, correctly signed, which is no delivery',
        change: { body: '[{ "note": 1 }]' },
        otherBody: true,
        expect: malformed,
      },
    ],
  }),
  bodyOnly('microsoft-teams', 'Authorization', {
    source: 'Microsoft\u2019s documentation of outgoing webhooks and its sample in Node.js',
    encoding: 'base64',
    prefix: 'HMAC ',
    otherPrefix: 'Bearer ',
    without: ['the prefix in upper case'], // it is
    keys: secretsOf('microsoft-teams', (bytes) => bytes.toString('base64')),
    keyBytes: (secret) => Buffer.from(secret, 'base64'),
    body: '{"type": "message", "id": "1485983408511", "timestamp": "2025-11-20T11:59:59.437Z", "channelId": "msteams", "from": {"id": "29:1XJKJMvc5GBtc2JwZq0oj8tHZmzrQgFmB39ATiQWA85gQtHieVkKilBZ9XHoq9j7Zaqt7CZ-NJWi7me2kHTL3Bw", "name": "a user"}, "conversation": {"id": "19:253b1f341670408fb6fe51050b6e5ceb@thread.skype;messageid=1485983194839"}, "text": "<at>SimpleBot</at> hello"}',
    expect: { id: '1485983408511', type: 'message' },
  }),
]
