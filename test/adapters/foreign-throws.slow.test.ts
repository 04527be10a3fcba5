import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { partOf } from '../support/part.ts'

/** What a server answered, while foreign code threw, rejected or returned something. */
interface Case {
  readonly mode: 'verify' | 'late' | 'observe' | 'bare'
  readonly hasHooks: boolean
  readonly door: string
  readonly way: string
  readonly value: string
  readonly kind: 'signed' | 'forged' | 'endless'
  /** The status and the text, or `no answer`. */
  readonly answered: string
  /** How often the handler ran. */
  readonly runs: number
  /** What a signed delivery may be answered: statuses, or `no answer`. */
  readonly allowed: readonly (number | string)[]
}

const PROGRAM = fileURLToPath(new URL('foreign-throws.mjs', import.meta.url))
const MINUTES_MS = 400_000
const PARTS = 9

/** Rejects if the process does not live to its end. */
async function casesOf(adapter: string): Promise<readonly Case[]> {
  const part = `${partOf(PARTS, inject('seed'))}/${PARTS}`
  const args = ['--unhandled-rejections=strict', PROGRAM, adapter, '--part', part]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const nameOf = ({ mode, hasHooks, door, way, value, kind }: Case) =>
  [mode, hasHooks ? 'with hooks' : 'without hooks', door, way, value, kind].join(', ')

const shown = (each: Case) => `${nameOf(each)}: ${each.answered}, ${each.runs} runs`

const statusOf = ({ answered }: Case) => (answered === 'no answer' ? answered : Number(answered.slice(0, 3)))

const isHandled = ({ answered }: Case) => answered.startsWith('2')

/** Whether `verifyWebhook` answered as it must. */
function isRight(each: Case): boolean {
  if (each.kind !== 'signed') return each.runs === 0 && !isHandled(each)
  return each.allowed.includes(statusOf(each)) && each.runs <= 1 && (each.runs === 1 || !isHandled(each))
}

describe.each(['Express 5', 'node:http', 'Fastify 5', 'Hono on Node', 'Hono on the web', 'web'])(
  'whatever foreign code throws, rejects with or returns on %s',
  (adapter) => {
    it(
      'a foreign throw ends no process, makes verifyWebhook run no handler unverified, and is never seen beside an old handler',
      async () => {
        const cases = await casesOf(adapter)
        const inMode = (...modes: readonly string[]) => cases.filter(({ mode }) => modes.includes(mode))
        const verified = inMode('verify', 'late')
        expect(verified.length).toBeGreaterThan(0)
        expect(verified.filter((each) => !isRight(each)).map(shown)).toEqual([])
        const asBefore = inMode('bare').map((each) => shown({ ...each, mode: 'observe' }))
        expect(asBefore.length).toBeGreaterThan(0)
        expect(inMode('observe').map(shown).toSorted()).toEqual(asBefore.toSorted())
      },
      MINUTES_MS,
    )
  },
)
