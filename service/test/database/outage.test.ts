import { inspect } from 'node:util'
import { EventStoreError } from 'hookgate'
import { expect, it } from 'vitest'
import { outageReporter } from '../../src/database/outage.ts'

it('a log line of a refused statement says what was refused, and shows no row', () => {
  const lines: unknown[] = []
  const report = outageReporter({ query: async () => [] }, { log: (said) => lines.push(said) })
  const refused = Object.assign(new Error('null value in column "x"'), {
    code: '23502',
    detail: 'Failing row contains (somebody’s data).',
  })
  report(refused)
  report(new EventStoreError('the event store failed', { cause: refused }))
  const text = inspect(lines, { depth: null })
  for (const part of ['null value in column "x"', '23502', 'the event store failed'])
    expect(text).toContain(part)
  expect(text).not.toContain('somebody')
})
