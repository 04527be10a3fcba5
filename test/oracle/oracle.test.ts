import { describe, expect, it } from 'vitest'
import { makeBatch } from './batch.ts'
import { compareBatch } from './compare.ts'
import { findPython } from './oracle.ts'

const PYTHON = findPython()
const SEEDS = [1, 2, 3, 4]
const DELIVERIES = 5500 // some go to listeners that both sides refuse

const ANSWERS = [
  ...['accepted', 'configured', 'refused', 'committed', 'already', 'lost', 'released', 'nothing left'],
  ...['400 body_too_large', '400 method_not_post', '400 header_missing', '400 header_repeated'],
  ...['400 content_type_not_json', '400 content_encoding_not_identity', '400 body_not_json'],
  ...['400 timestamp_malformed', '400 timestamp_out_of_range', '400 event_id_not_uuid_v4'],
  ...['403 source_ip_not_allowed', '401 auth_missing', '401 signature_mismatch', '401 token_invalid'],
  ...['401 token_expired', '409 event_duplicate', '503 event_in_progress'],
]

describe('a second implementation, written in Python from the specification alone', () => {
  const why = PYTHON === undefined ? ' (skipped: no Python with cryptography here)' : ''

  it.skipIf(PYTHON === undefined)(
    `answers 20,000 generated cases as hookgate does${why}`,
    async () => {
      const answers = new Set<string>()
      let cases = 0
      for (const seed of SEEDS) {
        const compared = await compareBatch(PYTHON ?? '', seed, DELIVERIES)
        expect(compared.disagreements).toEqual([])
        cases += compared.cases
        for (const answer of compared.tally.keys()) answers.add(answer)
      }
      expect(cases).toBeGreaterThanOrEqual(20_000)
      expect([...answers]).toEqual(expect.arrayContaining(ANSWERS))
    },
    120_000,
  )

  it('makes the same cases for the same seed, and others for another', () => {
    const oddities = (seed: number) =>
      makeBatch(seed, 200).map((line) => ('deliver' in line ? line.odd : line))
    expect(oddities(7)).toEqual(oddities(7))
    expect(oddities(7)).not.toEqual(oddities(8))
  })
})
