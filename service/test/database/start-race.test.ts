import { expect, inject, it } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { newDatabase } from '../support/copies.ts'
import { Subject } from '../support/subject.ts'

const ROUNDS = 20
const STARTS = 8

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres(`${STARTS} services start at once on an empty database, ${ROUNDS} times, and none fails`),
  async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const address = await newDatabase(inject('postgresFolder'))
      const subjects = Array.from({ length: STARTS }, () => new Subject())
      const starts = await Promise.allSettled(
        subjects.map((subject) => subject.start(openPostgres(address, () => {}))),
      )
      const failures = starts.flatMap((start) => (start.status === 'rejected' ? String(start.reason) : []))
      expect([round, failures]).toEqual([round, []])
      await Promise.all(subjects.map((subject) => subject.stop()))
    }
  },
  180_000,
)
