import express from 'express'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../../adapters/express.ts'
import { defineListener } from '../../../src/index.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs } from '../../../src/testing/index.ts'
import { serve } from '../../support/servers.ts'
import { startInspector } from '../inspector/support.ts'
import { runCommand } from '../shared-process.ts'
import { hookgate, startListener, temporaryFile } from '../support.ts'

const SECRET = 'a secret of another sender'
const env = { HOOKGATE_SECRET: SECRET }
const PUBLIC_URL = 'https://receiver.example/hooks'
const URL_SENDERS = [
  ['contentful', '{"a":1}'],
  ['hubspot', '[{"eventId":1}]'],
  ['qstash', '{"a":1}'],
  ['rfc9421', '{"a":1}'],
  ['trello', '{"action":{"id":"1","type":"a"}}'],
  ['twilio', 'AccountSid=AC1&Body=Hi'],
] as const
const FORM = URL_SENDERS[5][1]

/** The URL of a receiver that verifies what Twilio sends to `publicUrl`. */
async function receiverAt(publicUrl: string): Promise<string> {
  const auth = twilio({ secrets: SECRET, publicUrl })
  const listener = defineListener({ id: 'queries', auth, store: memoryStore(), onVerdict: null })
  const app = express().post('/hooks', verifyWebhook(listener), (_, response) => void response.end())
  const { address } = await serve(app)
  return `http://127.0.0.1:${'port' in address ? address.port : 0}/hooks`
}

async function findNothing(url: string, publicUrl: string) {
  const given = ['--scheme', 'twilio', '--public-url', publicUrl]
  const doctor = await hookgate(['doctor', '--url', url, ...given], { env })
  expect(doctor.stdout).toContain('the receiver accepts signatures as Twilio makes them')
  const { stdout, stderr, code } = await runCommand(['conform', url, ...given], { env })
  expect([stderr, code]).toEqual(['', 0])
  expect(stdout).toContain(', 0 broken')
}

describe('a URL whose query changes, under a publicUrl without one', () => {
  it.each(URL_SENDERS)('send signs it as %s, and listen accepts it', async (name, body) => {
    const listener = await startListener(['--scheme', name, '--public-url', PUBLIC_URL], { env })
    for (const [query, code] of [
      ['?id=1', 0],
      ['?id=2&a=b', 0],
      ['', 0],
    ] as const) {
      const url = listener.url + query
      const args = ['send', url, '--scheme', name, '--public-url', PUBLIC_URL, '--data', body]
      expect(await runCommand(args, { env }), query).toMatchObject({ code })
    }
    const wrong = ['send', `${listener.url}?id=1`, '--scheme', name, '--public-url', `${PUBLIC_URL}?id=2`]
    expect(await runCommand([...wrong, '--data', body], { env })).toMatchObject({ code: 1 })
    await listener.stop()
  })

  it('sign prints a signature that verify accepts with the request line', async () => {
    const url = `${PUBLIC_URL}?id=1`
    const signed = await runCommand(['sign', url, '--scheme', 'twilio', '--data', FORM], { env })
    const file = await temporaryFile('body.txt', FORM)
    const verify = async (target: string) => {
      const headers = await temporaryFile('headers.txt', `POST ${target} HTTP/1.1\r\n${signed.stdout}`)
      const args = ['verify', '--scheme', 'twilio', '--public-url', PUBLIC_URL, '--headers', headers]
      return (await runCommand([...args, '--file', file], { env })).code
    }
    expect(await verify('/hooks?id=1')).toBe(0)
    expect(await verify('/hooks?id=2')).toBe(1)
  })

  it('conform and doctor find nothing in hookgate as its receiver', async () => {
    const url = `${await receiverAt(PUBLIC_URL)}?id=1`
    await findNothing(url, PUBLIC_URL)
  })

  it('the inspector runs its delivery again, with the query that was signed', async () => {
    const file = await temporaryFile('secret.txt', SECRET)
    const given = ['--scheme', 'twilio', '--secret-file', file, '--public-url', PUBLIC_URL]
    const { listener, ask } = await startInspector(given, {})
    const signed = await signAs(twilio, { secret: SECRET, publicUrl: `${PUBLIC_URL}?id=1`, body: FORM })
    expect((await fetch(`${listener.url}?id=1`, signed)).status).toBe(200)
    const again = await ask('deliveries/1/send', {})
    expect(await again.json()).toMatchObject({ verdict: 'accepted', status: 200 })
    const { path } = JSON.parse(await (await ask('deliveries/2')).text())
    expect(path).toMatch(/\?…$/)
  })
})

describe('a publicUrl with a query', () => {
  const publicUrl = `${PUBLIC_URL}?tenant=7`

  it.each(URL_SENDERS)('a request that send makes as %s has the query', async (name, body) => {
    const listener = await startListener(['--scheme', name, '--public-url', publicUrl], { env })
    const given = ['--scheme', name, '--public-url', publicUrl, '--data', body]
    for (const [query, code] of [
      ['', 0],
      ['?tenant=7', 0],
      ['?tenant=8', 1],
    ] as const) {
      // A body of its own for each, because Twilio's delivery would be known again.
      const [last = ''] = given.splice(-1)
      given.push(name === 'twilio' ? `${last}${query.length}` : last)
      expect(await runCommand(['send', listener.url + query, ...given], { env }), query).toMatchObject({
        code,
      })
    }
    const command = await runCommand(['sign', listener.url, ...given, '--curl'], { env })
    expect(command.stdout).toContain(`${listener.url}?tenant=7`)
    await listener.stop()
  })

  it("a publicUrl's query is that of the requests of conform and doctor", async () => {
    const url = await receiverAt(publicUrl)
    await findNothing(url, publicUrl)
    await findNothing(`${url}?tenant=7`, publicUrl)
    const given = ['--scheme', 'twilio', '--public-url', publicUrl]
    const doctor = await hookgate(['doctor', '--url', `${url}?tenant=8`, ...given], { env })
    expect(doctor.stdout).toContain('another query than --url')
  })

  it("a publicUrl's query is part of the command that listen prints", async () => {
    const file = await temporaryFile('secret.txt', SECRET)
    const given = ['--scheme', 'twilio', '--secret-file', file, '--public-url', publicUrl]
    const listener = await startListener(given)
    expect(listener.command).toContain(`--public-url '${publicUrl}'`)
    await listener.stop()
  })

  it("a publicUrl's query is that of the request by which the inspector runs a delivery again", async () => {
    const file = await temporaryFile('secret.txt', SECRET)
    const given = ['--scheme', 'twilio', '--secret-file', file, '--public-url', publicUrl]
    const { listener, ask } = await startInspector(given, {})
    const signed = await signAs(twilio, { secret: SECRET, publicUrl, body: FORM })
    expect((await fetch(listener.url, signed)).status).toBe(401)
    const again = await ask('deliveries/1/send', {})
    expect(await again.json()).toMatchObject({ verdict: 'accepted', status: 200 })
  })
})
