import { getRequestListener } from '@hono/node-server'
import { expect, it, vi } from 'vitest'
import { observeWebhook } from '../../adapters/web.ts'
import { defineListener } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'

it('a handler reads bytes() beside observeWebhook, although @hono/node-server has replaced Response', async () => {
  vi.stubGlobal('Request', globalThis.Request)
  vi.stubGlobal('Response', globalThis.Response)
  getRequestListener(() => new Response()) // replaces both
  const secret = 'a-secret-0123456789abcdef'
  const { headers, body } = await signAs(github, {
    secret,
    body: '{"zen":"Speak like a human."}',
    eventType: 'push',
  })
  const works: Promise<unknown>[] = []
  const onVerdict = vi.fn()
  const auth = github({ secrets: secret })
  const listener = defineListener({ id: 'github', auth, store: memoryStore(), onVerdict })
  const handle = observeWebhook(
    listener,
    async (request) => {
      const { bytes } = request as { readonly bytes?: () => Promise<Uint8Array<ArrayBuffer>> } // not in Node 20's types
      return new Response(bytes ? await bytes.call(request) : await request.arrayBuffer())
    },
    { waitUntil: (work) => void works.push(work) },
  )
  const request = new Request('http://localhost/', { method: 'POST', headers, body })
  expect(await (await handle(request)).text()).toBe(body)
  await Promise.all(works)
  expect(onVerdict).toHaveBeenCalledOnce()
})
