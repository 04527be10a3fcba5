import { expect, it } from 'vitest'
import { ENGINE } from './runtime.ts'

/** `npm run test:runtimes` sets it. Any other run may use any Node. */
const { HOOKGATE_RUNTIME: wanted = `node${process.versions.node.split('.')[0]}` } = process.env

it('these tests run on the named runtime', () => {
  const major = process.versions.node.split('.')[0]
  expect(ENGINE === 'node' ? `node${major}` : ENGINE).toBe(wanted)
})
