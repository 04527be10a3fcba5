import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { newKey } from '../support/keys.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const TASKSET_MISSING = spawnSync('taskset', ['--version']).error !== undefined

/** Checks four tokens at once, and prints how many were done before any other task of the process ran. */
const PROGRAM = `
import { defineListener, verify } from 'hookgate'
import { jwt, localKeySet } from 'hookgate/jwt'
import { memoryStore } from 'hookgate/stores/memory'
import { signJwt, toDelivery } from 'hookgate/testing'

const privateKey = JSON.parse(process.argv[1])
const { d, ...publicKey } = privateKey
const endpoint = { subject: 'https://tenant.example', audience: 'https://api.example/hook' }
const auth = jwt({ ...endpoint, keySet: localKeySet({ keys: [publicKey] }) })
const listener = defineListener({ id: 'L1', auth, store: memoryStore() })
const sign = () => signJwt({ ...endpoint, privateKey, body: '{}' })
const deliveries = await Promise.all(Array.from({ length: 5 }, async () => toDelivery(await sign())))
if (!(await verify(deliveries.pop(), listener)).ok) throw new Error('refused')
for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
let done = 0
for (const delivery of deliveries) verify(delivery, listener).then(({ ok }) => { done += ok })
for (let step = 0; step < 1000; step += 1) await undefined
console.log(done)
`

function doneAtOnce(cores: string): number {
  const program = [process.execPath, '--input-type=module', '-e', PROGRAM]
  const key = JSON.stringify(newKey('ES256').privateKey)
  return Number(execFileSync('taskset', ['-c', cores, ...program, key], { cwd: root, encoding: 'utf8' }))
}

it.skipIf(TASKSET_MISSING)(
  'concurrent tokens are checked synchronously with one core (needs taskset)',
  () => {
    expect(doneAtOnce('0')).toBe(4)
  },
)

it.skipIf(TASKSET_MISSING || availableParallelism() < 2)(
  'the thread pool checks some tokens with two cores (needs taskset and a second core)',
  () => {
    expect(doneAtOnce('0,1')).toBeLessThan(4)
  },
)
