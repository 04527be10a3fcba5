import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { OTHER_KILLS, STORE_KILLS, sumOf } from '../support/kills.ts'
import { KILL_STEPS } from '../support/store-processes.ts'
import { filesIn } from './files-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')

const ofStores = sumOf(Object.values<readonly number[]>(STORE_KILLS).flat())
const ofOthers = sumOf(Object.values(OTHER_KILLS))
/** The inbox kills in two kinds of `done`. */
const ofInbox = OTHER_KILLS.inboxProcesses + OTHER_KILLS.inboxPostgres + OTHER_KILLS.inboxDrains
/** Recoveries, into two more targets. */
const ofRecoveries = OTHER_KILLS.recoveries * 2

describe('the kills of CI', () => {
  it('they are 90 at most', () => {
    expect(ofStores + ofOthers + ofInbox + ofRecoveries).toBeLessThanOrEqual(90)
  })

  it('they end the processes of stores at each step, in each of three ways', () => {
    expect(ofStores).toBeGreaterThanOrEqual(KILL_STEPS.length * 3)
  })

  it('each test that kills takes their number from test/support/kills.ts, and npm run test:kills runs it', () => {
    const tests = ['test', 'service/test'].flatMap((folder) => filesIn(folder, '.test.ts'))
    const killing = tests.filter(
      (path) => /support\/kills\.ts'/.test(read(path)) && path !== 'test/repo/kills.test.ts',
    )
    const own = tests.filter((path) => /env\.HOOKGATE_KILLS|\bkills: \d{2}/.test(read(path)))
    const { scripts } = JSON.parse(read('package.json'))
    const words: string[] = `${scripts['test:kills']} ${scripts['test:handoff']}`.split(' ')
    expect(killing.filter((path) => !words.some((word) => word.length > 8 && path.includes(word)))).toEqual(
      [],
    )
    expect(killing.length).toBeGreaterThan(12)
    expect(own).toEqual([])
  })
})
