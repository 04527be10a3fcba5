import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ReportedError } from '../../adapters/kit/warn.ts'
import {
  ERRORS_PAGE,
  EventStoreError,
  KeySetError,
  LeaseLostError,
  ListenerConfigError,
  ListenerLoadError,
} from '../../src/errors.ts'
import { EnvelopeError } from '../../src/handoff/from-envelope.ts'
import { JobIdError } from '../../src/handoff/job-id.ts'
import { InboxError } from '../../src/inbox/errors.ts'
import { ManagementError } from '../../src/management/errors.ts'
import { STATUS } from '../../src/reason.ts'
import { AddressRefusedError } from '../../src/sender/public-only.ts'
import { filesIn } from './files-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}docs/errors.md`, 'utf8')

const { repository }: { repository: { url: string } } = JSON.parse(
  readFileSync(`${root}package.json`, 'utf8'),
)

const code = ['src', 'adapters']
  .flatMap((folder) => filesIn(folder))
  .map((path) => readFileSync(root + path, 'utf8'))
  .join('\n')

/** The first group of all matches in the code, without repetitions. */
const inCode = (pattern: RegExp) => [
  ...new Set([...code.matchAll(pattern)].flatMap(([, found]) => found ?? [])),
]

/** The messages that the table quotes. */
const quoted = () => {
  const [, section = ''] = page.split('### Messages of any option')
  const rows = section.slice(0, section.indexOf('\n### ')).split('\n')
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  )
}

const hasEntry = (name: string) => page.includes(`\n### \`${name}\`\n`)

describe('docs/errors.md', () => {
  it.each(Object.keys(STATUS))('the page has an entry for the reason %s', (reason) => {
    expect(hasEntry(reason), `add an entry ### \`${reason}\` to docs/errors.md`).toBe(true)
  })

  it.each(inCode(/'(ERR_[A-Z_]+)'/g))('the page has an entry for the code %s', (name) => {
    expect(hasEntry(name), `add an entry ### \`${name}\` to docs/errors.md`).toBe(true)
  })

  it.each([
    new ListenerConfigError('id', 'is missing'),
    new EventStoreError('it failed'),
    new KeySetError('it failed', 5),
    new ListenerLoadError('it failed'),
    new AddressRefusedError('127.0.0.1'),
    new EnvelopeError('it is malformed'),
    new InboxError('it failed'),
    new JobIdError('it is too long'),
    new ManagementError('ERR_API_TOKEN', 'refused'),
    new ManagementError('ERR_API_ENDPOINT', 'none'),
    new ManagementError('ERR_API_ANSWER', 'no answer'),
    new LeaseLostError('ERR_NO_ANSWER', 'no answer'),
    new LeaseLostError('ERR_LEASE_LOST', 'lost'),
    new LeaseLostError('ERR_RUN_TOO_LONG', 'too long'),
    new ReportedError('ERR_REDIRECTED', 'a redirect'),
    new ReportedError('ERR_TOO_MANY_BODIES', 'no room'),
  ])('the page has the entry that $code links to, which Node prints with the error', (error) => {
    expect(error.help).toBe(`${ERRORS_PAGE}${error.code.toLowerCase()}`)
    expect(inspect(error)).toContain(error.help)
    expect(ERRORS_PAGE).toBe(`${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/docs/errors.md#`)
  })

  it.each(quoted())('the page quotes %j as the code says it', (message) => expect(code).toContain(message))
})
