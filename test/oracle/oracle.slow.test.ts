import { describe, expect, it } from 'vitest'
import { type Reason, STATUS } from '../../src/reason.ts'
import { makeBatch } from './batch.ts'
import { compareBatch } from './compare.ts'
import { findPython } from './oracle.ts'

const PYTHON = findPython()
/** `npm run test:forgeries` makes 22,500 cases. */
const SEEDS = process.env.HOOKGATE_MUTATIONS === undefined ? [1, 2] : [1, 2, 3, 4, 5]
const DELIVERIES = 5500 // some go to listeners that both sides refuse
const CASES = SEEDS.length * 4500

/** Reasons of adapters, of other senders' schemes, and of a schema. */
const ELSEWHERE = [
  'body_incomplete',
  'content_type_not_accepted',
  'body_malformed',
  'event_id_malformed',
  'payload_invalid',
]

const reasons = Object.keys(STATUS) as readonly Reason[] // the keys of a record of them

const ANSWERS = [
  ...['accepted', 'configured', 'refused', 'committed', 'already', 'lost', 'released', 'nothing left'],
  ...reasons.filter((reason) => !ELSEWHERE.includes(reason)).map((reason) => `${STATUS[reason]} ${reason}`),
]

describe('a second implementation, written in Python from the specification alone', () => {
  const why = PYTHON === undefined ? ' (skipped: no Python with cryptography here)' : ''

  it.skipIf(PYTHON === undefined)(
    `the second implementation answers ${CASES} generated cases as hookgate does${why}`,
    async () => {
      const answers = new Set<string>()
      let cases = 0
      for (const seed of SEEDS) {
        const compared = await compareBatch(PYTHON ?? '', seed, DELIVERIES)
        expect(compared.disagreements).toEqual([])
        cases += compared.cases
        for (const answer of compared.tally.keys()) answers.add(answer)
      }
      expect(cases).toBeGreaterThanOrEqual(CASES)
      expect(
        ANSWERS.filter((answer) => !answers.has(answer)),
        'draw listeners and deliveries that get these answers, in test/oracle/batch.ts and its odd-*.ts',
      ).toEqual([])
    },
    120_000,
  )

  it('a seed makes the same cases again, and another seed others', () => {
    const oddities = (seed: number) =>
      makeBatch(seed, 200).map((line) => ('deliver' in line ? line.odd : line))
    expect(oddities(7)).toEqual(oddities(7))
    expect(oddities(7)).not.toEqual(oddities(8))
  })
})
