import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs } from '../../../src/testing/index.ts'
import { inWorkerd, WHY_NO_WORKERD } from '../project.ts'
import { startWorkerd } from './workerd-server.ts'

const EXAMPLE = fileURLToPath(new URL('../../../examples/web/workers.ts', import.meta.url))

describe.skipIf(WHY_NO_WORKERD)(inWorkerd('examples/web/workers.ts, in workerd'), () => {
  it('the example accepts an event once, also after a restart of the Worker', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hookgate-example-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { headers, body } = await signAs(stripe, { secret: 'whsec_for_trying', body: { id: 'evt_1' } })
    const posted = async (url: string, text: string) => {
      const response = await fetch(url, { method: 'POST', headers, body: text })
      return `${response.status} ${await response.text()}`.trim()
    }
    const first = await startWorkerd(folder, EXAMPLE)
    expect(await posted(first.url, `${body} `)).toMatch(/^401 /)
    expect(await posted(first.url, body)).toBe('200 {"received":true}')
    await first.kill()
    const second = await startWorkerd(folder, EXAMPLE)
    onTestFinished(() => second.kill())
    expect(await posted(second.url, body)).toBe('200')
  })
})
