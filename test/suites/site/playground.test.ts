import { spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { newPrivateKey } from '../../../cli/signing/private-key.ts'
import { github } from '../../../src/schemes/github.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs, signHmac, signJwt } from '../../../src/testing/index.ts'
import { inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { headerText, type Playground, usePlayground } from './playground-page.ts'
import { ROOT } from './site-files.ts'

const KB = 1024
const SECRET = 'playground-0123456789-abcdefghijklmnop'
const BODY = '{"id":"evt_7","type":"invoice.paid","name":"Zoë 🙂"}'
const SCHEMES = readdirSync(`${ROOT}src/schemes`)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3))

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('the playground, in Chromium'), () => {
  let playground: Playground
  usePlayground((opened) => {
    playground = opened
  })

  it('the playground loads at most 72 KB, compressed, until its first verdict', async () => {
    playground.site.served.clear()
    await playground.reload()
    const bytes = [...playground.site.served.values()].reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(10 * KB)
    expect(bytes).toBeLessThanOrEqual(72 * KB)
    expect([...playground.site.served.keys()].filter((path) => path.includes('github'))).toEqual([])
  })

  it("the playground accepts a delivery signed with a sender's secret, and shows every check in order", async () => {
    const { headers, body } = await signAs(stripe, { secret: SECRET, body: BODY })
    await playground.paste({ Secret: SECRET, Headers: headerText(headers), Body: body })
    await playground.page.getByText('evt_7', { exact: true }).waitFor()
    await playground.verdict('Accepted')
    expect(await playground.checks()).toEqual([
      'ok body-size',
      'ok source-ip',
      'ok headers',
      'ok authenticity',
      'ok body',
      'ok timestamp',
      'ok event-id',
      '- claim',
    ])
  })

  it('the playground refuses a tampered delivery, and says which check and the likely mistake', async () => {
    await playground.click('Change a byte')
    await playground.verdict('Refused with 401')
    expect(await playground.checks()).toContain('NO authenticity')
    expect(await playground.checks()).toContain('- body')
    expect(await playground.why()).toMatch(
      /^The secret is wrong, the body was changed, or Stripe did not send this; nothing more specific was found\.\n+signature_mismatch/,
    )
  })

  it('the playground links a reason to its entry among the errors', async () => {
    await playground.click('Change a byte')
    await playground.page.getByRole('link', { name: 'signature_mismatch' }).click()
    await playground.page.locator('h3#signature_mismatch').waitFor()
  })

  it("the playground finds a sender's mistake behind a signature of the specification's HMAC", async () => {
    const { headers, body } = await signHmac({ secret: SECRET, body: BODY })
    await playground.choose('hmac')
    await playground.paste({ 'Signing secret': SECRET, Headers: headerText(headers), Body: body })
    await playground.verdict('Accepted')
    const wrong = await signHmac({ secret: `${SECRET}\n`, body: BODY })
    await playground.paste({ Headers: headerText(wrong.headers) })
    await playground.verdict('Refused with 401')
    expect(await playground.why()).toContain("The sender's copy of the secret has a line break at its end")
  })

  it('the playground verifies a token against a pasted JWKS, and shows the claims of a refused one', async () => {
    const key = newPrivateKey('ES256')
    const names = { alg: 'ES256', kid: 'ec-1' }
    const jwk = { ...createPublicKey(key).export({ format: 'jwk' }), ...names }
    const [subject, audience] = ['https://tenant.example', 'https://hooks.example/in']
    const privateKey = { ...key.export({ format: 'jwk' }), ...names }
    const { headers, body } = await signJwt({ privateKey, subject, audience, body: BODY })
    await playground.choose('jwt')
    await playground.paste({
      JWKS: JSON.stringify({ keys: [jwk] }),
      'Tenant base URL': subject,
      'Endpoint URL': audience,
      Headers: headerText(headers),
      Body: body,
    })
    await playground.verdict('Accepted')
    await playground.paste({ 'Endpoint URL': `${audience}/` })
    await playground.verdict('Refused with 401')
    expect(await playground.why()).toContain(`aud "${audience}", wanted: "${audience}/"`)
  })

  it('the playground recognises the sender of a delivery pasted for another scheme', async () => {
    const { headers, body } = await signAs(github, { secret: SECRET, body: BODY })
    await playground.paste({ Secret: SECRET, Headers: headerText(headers), Body: body })
    await playground.verdict('Refused with 401')
    expect(await playground.why()).toContain('This looks like a delivery from GitHub')
  })

  it.each([
    ['stripe', (timestamp: number) => signAs(stripe, { secret: SECRET, body: BODY, timestamp })],
    ['hmac', (timestamp: number) => signHmac({ secret: SECRET, body: BODY, timestamp })],
  ] as const)(
    'the playground refuses a captured delivery of %s for its age, unless any age is allowed',
    async (scheme, sign) => {
      const { headers, body } = await sign(1_700_000_000)
      await playground.choose(scheme)
      await playground.paste({ secret: SECRET, Headers: headerText(headers), Body: body })
      await playground.verdict('Refused with 400')
      expect(await playground.checks()).toContain('NO timestamp')
      await playground.page.getByLabel('Accept any age').check()
      await playground.verdict('Accepted')
    },
  )

  it('the playground says what is missing for a verdict', async () => {
    await playground.paste({ Secret: '' })
    await playground.verdict('Not set up yet')
    expect(await playground.why()).toContain('secrets')
    await playground.paste({ Secret: SECRET, Headers: 'no header' })
    await expect.poll(() => playground.why()).toContain('Write each header as Name: value')
  })

  it.each([
    ...['hmac', 'stripe', 'github', 'standard-webhooks', 'shopify'].map((scheme) => [scheme, 'Make one']),
    ...['jwt', 'discord', 'sendgrid'].map((scheme) => [scheme, 'Make a pair']),
  ])('generated keys sign as %s, and the delivery is accepted', async (scheme, button) => {
    await playground.choose(scheme ?? '')
    await playground.click(button ?? '')
    await playground.click('Sign this body')
    await playground.page.getByText('Signed with a new time and ID.').waitFor()
    await playground.verdict('Accepted')
    await playground.click('Change a byte')
    await playground.verdict('Refused with 401')
  })

  it('the playground signs with a new pair if both buttons are clicked at once', async () => {
    await playground.choose('sendgrid')
    await playground.page.getByRole('button', { name: 'Make a pair' }).waitFor()
    await playground.page.evaluate(
      "for (const id of ['new-pair', 'sign']) document.getElementById(id).click()",
    )
    await playground.page.getByText('Signed with a new time and ID.').waitFor()
    await playground.verdict('Accepted')
  })

  it('the playground signs like a sender that names its secrets', async () => {
    await playground.choose('livekit')
    await playground.verdict('Not set up yet')
    expect(await playground.why()).toContain('apiKey')
    await playground.paste({ 'Other options': '{ "apiKey": "API1" }', Secret: SECRET })
    await playground.click('Sign this body')
    await playground.verdict('Accepted')
  })

  it('the playground tells the two ways of GitLab apart', async () => {
    const names = await playground.page.locator('#senders option').allTextContents()
    expect(names.filter((name) => name.startsWith('GitLab'))).toEqual([
      'GitLab (secret token)',
      'GitLab (signing token)',
    ])
    expect(new Set(names).size).toBe(names.length)
  })

  it('the playground offers every sender, and loads each when chosen', { timeout: 120_000 }, async () => {
    const options = await playground.page.locator('#senders option').all()
    const listed = await Promise.all(options.map((option) => option.getAttribute('value')))
    expect(listed.toSorted()).toEqual(SCHEMES.toSorted())
    for (const scheme of SCHEMES) {
      await playground.choose(scheme)
      await expect
        .poll(() => [...playground.site.served.keys()].some((path) => path.includes(`/${scheme}-`)))
        .toBe(true)
    }
  })

  it('the playground copies a curl command that a shell parses into the same delivery', async () => {
    const { headers, body } = await signHmac({ secret: SECRET, body: `${BODY} 'quoted' $(id)` })
    await playground.choose('hmac')
    await playground.paste({ 'Signing secret': SECRET, Headers: headerText(headers), Body: body })
    await playground.click('Copy as curl')
    await playground.page.getByText('Copied.').waitFor()
    const command = await playground.page.evaluate<string>('navigator.clipboard.readText()')
    const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${command}`], {
      encoding: 'utf8',
    })
    const words = stdout.trim().split('\n')
    expect(words).toContain(`Webhook-Signature: ${headers['webhook-signature']}`)
    expect(words.slice(-3)).toEqual(['--data-raw', body, 'https://example.com/webhooks'])
    expect(command).not.toContain(SECRET)
  })
})
