import { expect, it } from 'vitest'
import { ENGINE } from '../support/runtime.ts'

/** Named by `npm run test:runtimes`; any other run is on whatever Node there is. */
const { HOOKGATE_RUNTIME: wanted = `node${process.versions.node.split('.')[0]}` } = process.env

it('these tests run where they are said to', () => {
  const major = process.versions.node.split('.')[0]
  expect(ENGINE === 'node' ? `node${major}` : ENGINE).toBe(wanted)
})
