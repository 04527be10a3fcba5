import { replaced } from '../deliver.mjs'
import { token } from '../token-cases.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const value = (name, write, expect) => ({ name, change: { value: write }, expect })

export default [
  token('hugging-face', 'X-Webhook-Secret', {
    source: 'Hugging Face\u2019s documentation of webhooks',
    body: '{"event": {"action": "update", "scope": "repo.content"}, "repo": {"type": "model", "name": "some-user/some-repo"}, "webhook": {"id": "6390e855e30d9209411de93b", "version": 3}}',
    expect: { type: 'repo.content' },
  }),
  token('vapi', 'Authorization', {
    source: 'Vapi\u2019s documentation of server authentication',
    body: '{"message": {"type": "status-update", "status": "ended", "call": {"id": "7420f27a-30fd-4f49-a995-5549ae7cc00d"}}}',
    expect: { type: 'status-update' },
    without: ['the token as a bearer token'],
    moreCases: ({ keys }) => [
      value('the token as a bearer token, the default of Vapi', (all) => `Bearer ${all}`, { ok: true }),
      value('the token under another scheme', (all) => `Basic ${all}`, mismatch),
      value('the scheme twice', (all) => `Bearer Bearer ${all}`, mismatch),
      value('the scheme alone', () => 'Bearer ', mismatch),
      {
        name: 'the token in X-Vapi-Secret, as the legacy field sends it',
        change: {
          headers: (list) =>
            list.map(([name, text]) => [name === 'Authorization' ? 'X-Vapi-Secret' : name, text]),
        },
        expect: { ok: true },
      },
      {
        name: 'the token in X-Vapi-Secret, beside an Authorization header for a gateway',
        change: {
          headers: (list) =>
            list.flatMap(([name, text]) =>
              name === 'Authorization'
                ? [
                    [name, 'Bearer of-a-gateway'],
                    ['X-Vapi-Secret', text],
                  ]
                : [[name, text]],
            ),
        },
        expect: { ok: true },
      },
      {
        name: 'another token in X-Vapi-Secret',
        change: {
          headers: (list) =>
            replaced(
              'X-Vapi-Secret',
              keys.foreign,
            )(list.map(([name, text]) => [name === 'Authorization' ? 'X-Vapi-Secret' : name, text])),
        },
        expect: mismatch,
      },
    ],
  }),
]
