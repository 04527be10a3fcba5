import { afterAll, beforeAll, describe, inject } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { copyOfPGlite, copyOfPostgres } from './copies.ts'
import { Subject } from './subject.ts'

export { Subject } from './subject.ts'

/** Runs the same tests on PGlite, and on a Postgres server if there is one. */
export function describeService(name: string, tests: (subject: Subject) => void): void {
  describe(`${name}, on PGlite`, () => {
    const subject = new Subject()
    beforeAll(async () => subject.start(await copyOfPGlite(inject('pgliteTemplate'))), 60_000)
    afterAll(() => subject.stop())
    tests(subject)
  })

  describeOnPostgres(name, tests)
}

/** Runs tests only on a Postgres server, for what PGlite lacks. */
export function describeOnPostgres(name: string, tests: (subject: Subject) => void): void {
  describe.skipIf(WHY_NO_POSTGRES)(onPostgres(`${name}, on Postgres`), () => {
    const subject = new Subject()
    beforeAll(async () => {
      const address = await copyOfPostgres(inject('postgresFolder'))
      await subject.start(openPostgres({ ...address, max: 20 }, () => {}))
    }, 60_000)
    afterAll(() => subject.stop())
    tests(subject)
  })
}
