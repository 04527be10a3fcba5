import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('no-descriptors.mjs', import.meta.url))
/** The built file, because Node 20 cannot run TypeScript. */
const { href: EVALUATE } = new URL('../../dist/cel/evaluate.js', import.meta.url)

it('the evaluator starts for the next expression after a failed start', async () => {
  const limited = 'ulimit -n 100 && exec "$0" "$1" "$2"'
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, PROGRAM, EVALUATE])
  const failed = 'expressions cannot be evaluated: their process could not be started'
  expect(JSON.parse(stdout)).toStrictEqual([failed, failed, '2', '2'])
})
