import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const BENCH = fileURLToPath(new URL('../../bench/survivors.mjs', import.meta.url))

describe('the memory of a request', () => {
  // Express keeps a third by itself.
  it('the objects of a request die with it, so that minor garbage collections stay cheap', {
    timeout: 900_000,
  }, async () => {
    for (const framework of ['Fastify', 'Hono']) {
      const { stdout } = await promisify(execFile)(process.execPath, [BENCH, '--framework', framework])
      const share = new RegExp(`${framework}: (\\d+) %`).exec(stdout)?.[1]
      expect(Number(share), `${framework}: % of new objects that outlive a minor collection`).toBeLessThan(12)
    }
  })
})
