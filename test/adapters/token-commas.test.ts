import { expect, it } from 'vitest'
import { SCHEMES, type SchemeName } from '../suites/runtimes/wire/schemes.ts'
import { ACCEPTED, describeMatrix, type Row, UNAUTHORIZED } from '../support/describe-matrix.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { changed, sentHeader } from '../support/sender.ts'
import { schemeEndpoint } from './scheme-sender.ts'

type Sending = {
  readonly algorithm: string
  readonly covers?: string
  readonly signature: { headers: readonly string[] }
}

/** Senders whose header holds the secret itself. */
const sendsSecret = ({ algorithm, covers, signature }: Sending) =>
  (algorithm === 'token' || covers === 'token') && signature.headers.length > 0

const NAMES = (Object.keys(SCHEMES) as SchemeName[]).filter((name) => sendsSecret(SCHEMES[name].scheme))

/** `Headers` writes the first one for a repeated header. With a colon, as HTTP Basic has one. */
const SECRETS = [
  'user:open, sesame',
  'user:open,sesame',
  'user:open,  sesame, ,x',
  'Bearer user:open, sesame',
]

function rowsFor(name: SchemeName): readonly Row[] {
  const header = SCHEMES[name].scheme.signature.headers[0] ?? ''
  const row = (
    title: string,
    secrets: string,
    change: (token: string) => readonly string[],
    expected: Row['expected'],
  ): Row => ({
    name: title,
    endpoint: () => schemeEndpoint(name, { secrets }),
    send: async ({ send, request }) => {
      const sent = await request({ body: '{"a":1}' })
      return send(changed(sent, { [header]: change(sentHeader(sent, header)) }))
    },
    expected,
  })
  const [secret = ''] = SECRETS
  return [
    ...SECRETS.map((each) => row(`one passes: ${each}`, each, (token) => [token], ACCEPTED)),
    row('a repeated token is refused', secret, (token) => [token, token], UNAUTHORIZED),
    row('another one in front is refused', secret, (token) => ['x', token], UNAUTHORIZED),
    row('another one behind is refused', secret, (token) => [token, 'x'], UNAUTHORIZED),
    row(
      'one without its space is refused',
      secret,
      (token) => [`${token}x`.replace(', ', ',')],
      UNAUTHORIZED,
    ),
  ]
}

for (const name of NAMES) describeMatrix(`a token of ${name} with a comma`, rowsFor(name))

it('these are all schemes whose header holds the secret', async () => {
  const factories = await Promise.all(SCHEME_NAMES.map(async (name) => (await schemeFactory(name)).scheme))
  const names = factories.filter(sendsSecret).map(({ name }) => name)
  const signed = ['monday', 'pubsub', 'vercel-connect']
  const claimNothing = ['hugging-face', 'vapi'] // whose outcome is another; they share the code
  expect(names.filter((name) => ![...signed, ...claimNothing].includes(name))).toEqual(NAMES.toSorted())
})
