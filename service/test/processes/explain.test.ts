import { expect, inject, it } from 'vitest'
import { onPostgres, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { newSender, sendAccepted } from '../support/automations.ts'
import { copyOfPostgres, urlOf } from '../support/copies.ts'
import { Subject } from '../support/subject.ts'
import { explain } from './explain.ts'

it.skipIf(WHY_NO_POSTGRES)(
  onPostgres('explain says what the run of an event that lacks something says, or that it has no run'),
  async () => {
    const address = await copyOfPostgres(inject('postgresFolder'))
    const subject = new Subject()
    await subject.start(openPostgres(address, () => {}))
    const [known, unknown] = [crypto.randomUUID(), crypto.randomUUID()]
    await sendAccepted(subject, await newSender(subject), {}, known)
    const lines = await explain({ SERVICE_DATABASE_URL: urlOf(address) }, [known, unknown])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        event: known,
        state: 'RUN_STATE_PENDING',
        steps: null,
        effects: null,
        attempts: 0,
      },
      { event: unknown, run: null },
    ])
    await subject.stop()
  },
)
