import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { SECRET } from '../support/hmac-listener.ts'

/**
 * Accepts a delivery whose response neither finishes nor closes. Then it closes its server, and has nothing left to do.
 */
const PROGRAM = `
  import { createServer, ServerResponse } from 'node:http'
  import { defineListener, hmac } from 'hookgate'
  import { verifyWebhook } from 'hookgate/express'
  import { memoryStore } from 'hookgate/stores/memory'
  import { signHmac } from 'hookgate/testing'

  const secret = process.env.SECRET
  const auth = hmac({ secrets: { id: 'main', secret } })
  const verify = verifyWebhook(defineListener({ id: 'L1', auth, store: memoryStore(), onError: console.error }))
  const server = createServer((request, outgoing) => {
    const neverClosing = new ServerResponse(request)
    verify(request, neverClosing, () => {
      console.log('accepted')
      outgoing.setHeader('connection', 'close').end()
      server.close()
    })
  })
  server.listen(0, '127.0.0.1', async () => {
    await fetch('http://127.0.0.1:' + server.address().port, await signHmac({ secret, body: '{}' }))
  })
`

it('a response that never closes does not keep a process alive until its lease is over', async () => {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: { ...process.env, SECRET },
    timeout: 50_000, // before the lease of 60 s ends
  })
  expect(await run).toEqual({ stdout: 'accepted\n', stderr: '' })
})
