import { describe, expect, it, vi } from 'vitest'
import { chooseAuth } from '../../../cli/listen/auth.ts'
import { explainLine } from '../../../src/explain/index.ts'
import { defineListener } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { schemeFactory } from '../../support/schemes.ts'
import { deliveryOf, files } from '../../support/vectors.ts'

const COMMAND =
  / To see what arrives, run: npx --no-install hookgate listen --ui(?: --scheme ([a-z0-9-]+))?(?: --public-url '([^']+)')?$/

/** Too long to be tried, so that the mistake is unknown. */
const BODY = new Uint8Array(20_000).fill(0x20)

/** Those whose receiver has a secret or a public key. */
const withKeys = files.filter(({ options }) => options.secrets ?? options.publicKeys)

describe('the command at the end of an explanation', () => {
  it.each(withKeys)(
    'the command for $scheme is one that listen takes, or there is none for code, or if the body is signed in itself',
    async ({ scheme, options, cases }) => {
      const [first] = cases
      if (first === undefined) throw new Error('no vectors')
      const auth = (await schemeFactory(scheme))({ ...options, ...first.options })
      const listener = defineListener({ id: scheme, auth, store: memoryStore({ maxRecords: 2 }) })
      const row = (await schemeFactory(scheme)).scheme
      const isRow = `${row.algorithm}` !== 'code'
      const isInHeaders = row.signature.headers.length > 0 // the body is not the sender's
      const verdict = { ok: false, reason: 'signature_mismatch', status: 401, detail: 'none of the keys' }
      const line = await explainLine({ ...deliveryOf(first), body: BODY }, verdict, listener)
      if (!line?.includes(' run: ')) return expect(isRow && isInHeaders).toBe(false)
      const [, name, publicUrl] = COMMAND.exec(line) ?? []
      expect(name).toBe(scheme)
      const secrets = [{ ...options, ...first.options }.secrets ?? options.publicKeys].flat()
      vi.stubEnv('HOOKGATE_SECRET', typeof secrets[0] === 'object' ? secrets[0].secret : secrets[0])
      const chosen = await chooseAuth({ scheme: `${name}`, ...(publicUrl && { 'public-url': publicUrl }) })
      expect(chosen.remark).toMatch(/^Deliveries are verified as /)
    },
  )
})
