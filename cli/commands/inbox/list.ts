import { type Command, defineCommand, type OptionRows } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { print, remark, toJsonLine } from '../../command-line/output.ts'
import { wholeNumber } from '../../command-line/values.ts'
import { CHOICE_OPTIONS, placeBefore, stateOf } from './choice.ts'
import { STORE_OPTIONS, withInbox } from './open.ts'
import { jsonOf, listedLines } from './shown.ts'

const LISTED = 20
const MOST_LISTED = 1000

const OPTIONS = {
  ...STORE_OPTIONS,
  waiting: { says: 'Only jobs that wait, for a worker or after a failure' },
  running: { says: 'Only jobs that run' },
  held: { says: 'Only jobs that wait for an earlier one of their key' },
  dead: { says: 'Only jobs that failed for good' },
  done: { says: 'Only jobs that are done and still remembered' },
  ...CHOICE_OPTIONS,
  limit: { value: 'N', says: `How many (default: ${LISTED}, at most ${MOST_LISTED})` },
  json: { says: 'Print NDJSON: id, listener, eventId, type, state, attempts, putAt, dueAt, error, hasBody' },
} satisfies OptionRows

export const list: Command = defineCommand({
  name: 'inbox list',
  summary: 'list jobs, the newest first',
  meant: '--dead, --type TYPE, --listener ID',
  options: OPTIONS,
  notes: ['Prints no payload, and of errors nothing that they quote.'],
  examples: [
    'hookgate inbox list --dead --store postgres://localhost/app',
    'hookgate inbox list --dead --listener stripe --type invoice.paid',
    'hookgate inbox list --waiting --listener github --json',
  ],
  async run(given) {
    const { limit = `${LISTED}`, before, type, listener, json } = given
    const state = stateOf(given)
    const most = wholeNumber('--limit', limit, 1, MOST_LISTED)
    const choice = { state, type, listener, before: before?.map(placeBefore) }
    const jobs = await withInbox(given, (box) => box.list({ ...choice, limit: most }))
    for (const job of jobs) {
      if (json) print(toJsonLine(jsonOf(job)))
      else for (const line of listedLines(job)) print(line)
    }
    const last = jobs.length === most ? jobs.at(-1) : undefined
    const times = before?.filter((text) => typeof placeBefore(text) !== 'string') ?? []
    if (last) remark(`for more: the same with --before ${[...times, last.id].join(' --before ')}`)
    if (jobs.length === 0 && !json) remark('no jobs')
    return EXIT.done
  },
})
