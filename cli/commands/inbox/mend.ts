import type { ListOptions, Mended } from '../../../src/inbox/index.ts'
import { canAsk, confirm } from '../../command-line/ask-person.ts'
import { type Command, defineCommand, type OptionRows, type ValuesOf } from '../../command-line/command.ts'
import { EXIT, RefusedError, UsageError } from '../../command-line/exit.ts'
import { print, remark, toJsonLine } from '../../command-line/output.ts'
import { refuseStray } from '../../command-line/values.ts'
import type { OpenInbox } from '../../store/tables.ts'
import { CHOICE_OPTIONS, EVENT_OPTION, NO_SUCH_JOB, nameOf, placeBefore, stateOf } from './choice.ts'
import { STORE_OPTIONS, withInbox } from './open.ts'
import { counted } from './shown.ts'

const OPTIONS = {
  ...STORE_OPTIONS,
  dead: { says: 'All jobs that failed for good' },
  done: { says: 'All jobs that are done and still remembered' },
  ...CHOICE_OPTIONS,
  ...EVENT_OPTION,
  yes: { says: 'Do not ask, also if more than one job changes' },
  json: { says: 'Print one line of JSON: changed, refused' },
} satisfies OptionRows

type Given = ValuesOf<typeof OPTIONS>

/** How many jobs one statement changes: each is one transaction, and is told as progress. */
const AT_ONCE = 500
const PAGE = 1000
const TELL_MS = 1000

interface Verb {
  readonly name: 'again' | 'forget'
  readonly summary: string
  readonly notes: readonly string[]
  readonly examples: readonly string[]
  /** `Run … again?` */
  question(jobs: string): string
  /** What has happened: `3 jobs run again`. */
  told(jobs: string, count: number): string
  /** Why jobs were left alone. */
  readonly refusal: string
}

export const again: Command = mending({
  name: 'again',
  summary: 'run jobs again, with all their attempts',
  notes: [
    "Changes no job that runs. A job that is done can run again only while its body is kept (keepBodiesFor). Otherwise forget it, and have the sender send it again. A worker of the job's listener runs it.",
  ],
  examples: [
    'hookgate inbox again job_… --store postgres://localhost/app',
    'hookgate inbox again --dead --type invoice.paid',
    'hookgate inbox again --listener github --event 72d3162e-cc78-11e3-81ab-4c9367dc0958',
  ],
  question: (jobs) => `Run ${jobs} again?`,
  told: (jobs, count) => `${jobs} ${count === 1 ? 'runs' : 'run'} again`,
  refusal:
    'running, changed meanwhile, or done without a body: forget those, and have the sender send them again',
})

export const forget: Command = mending({
  name: 'forget',
  summary: "delete jobs and the records of their events, so that the sender's next delivery runs",
  notes: [
    'Changes no job that runs. A job that waits or is dead never runs once it is forgotten, unless its sender sends it again.',
  ],
  examples: [
    'hookgate inbox forget job_… --store postgres://localhost/app',
    'hookgate inbox forget --done --type customer.subscription.updated --listener stripe',
    'hookgate inbox forget --dead --before 2026-11-01 --yes',
  ],
  question: (jobs) => `Forget ${jobs}? Their events run only if their senders send them again.`,
  told: (jobs) => `${jobs} forgotten`,
  refusal: 'running, or changed meanwhile',
})

function mending({ name, summary, notes, examples, question, told, refusal }: Verb): Command {
  return defineCommand({
    name: `inbox ${name}`,
    summary,
    operand: { name: 'ID', required: false },
    options: OPTIONS,
    notes: [
      'Give the ID of a job, as list prints it; or --dead or --done, perhaps with --type, --listener and --before; or --listener with --event. Asks before it changes more than one job.',
      ...notes,
    ],
    examples,
    run: (given, id) => {
      const find = finderOf(given, id)
      const state = stateOf(given) // of those that the question is about, whatever becomes of them meanwhile
      return withInbox(given, async (box) => {
        const ids = await find(box)
        if (ids.length > 1 && !given.yes) await ask(question(counted(ids.length, 'job')), ids.length)
        const mended = await inPortions(ids, (portion) => box[name](portion, { state }))
        if (given.json) print(toJsonLine(mended))
        else show(mended)
        return mended.refused > 0 ? EXIT.refused : EXIT.done
      })
    },
  })

  function show({ changed, refused }: Mended): void {
    if (changed > 0 || refused === 0) print(told(counted(changed, 'job'), changed))
    if (refused > 0) remark(`${counted(refused, 'job')} left alone: ${refusal}`)
  }
}

/** What finds the IDs of the jobs. @throws UsageError unless the options choose some. */
function finderOf(given: Given, id: string): (box: OpenInbox) => Promise<readonly string[]> {
  const state = stateOf(given)
  if (state === undefined) {
    refuseStray(given, ['type', 'before'], 'needs --dead or --done')
    if (id === '' && given.event === undefined)
      throw new UsageError(
        'needs an ID that hookgate inbox list prints, --dead, --done, or --listener ID --event ID',
      )
    const name = nameOf(given, id)
    return async (box) => {
      const found = await box.get(name)
      if (found.length === 0) throw new RefusedError(NO_SUCH_JOB)
      return found.map((job) => job.id)
    }
  }
  if (id !== '') throw new UsageError(`give an ID or --${state}, not both`)
  refuseStray(given, ['event'], `is one event: leave out --${state}`)
  const { type, listener, before } = given
  const choice = { state, type, listener, before: before?.map(placeBefore) }
  return (box) => allOf(box, choice)
}

async function allOf(box: OpenInbox, choice: ListOptions): Promise<readonly string[]> {
  const ids: string[] = []
  for (;;) {
    const before = [choice.before ?? [], ids.at(-1) ?? []].flat()
    const page = await box.list({ ...choice, before, limit: PAGE })
    ids.push(...page.map((job) => job.id))
    if (page.length < PAGE) return ids
  }
}

async function ask(question: string, count: number): Promise<void> {
  if (!canAsk())
    throw new UsageError(
      `would change ${counted(count, 'job')}, and cannot ask without a terminal: add --yes`,
    )
  if (!(await confirm(question))) throw new RefusedError('nothing was changed')
}

/** Portion by portion, and tells how far it is, each second. After Ctrl-C, the rest stays as it was. */
async function inPortions(
  ids: readonly string[],
  change: (portion: readonly string[]) => Promise<Mended>,
): Promise<Mended> {
  let [changed, refused, toldAt, isStopped] = [0, 0, performance.now(), false]
  const stop = () => {
    isStopped = true
  }
  process.once('SIGINT', stop)
  try {
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      if (isStopped) {
        remark(`stopped: ${counted(ids.length - start, 'job')} stayed as they were`)
        break
      }
      const mended = await change(ids.slice(start, start + AT_ONCE))
      changed += mended.changed
      refused += mended.refused
      if (performance.now() - toldAt < TELL_MS) continue
      toldAt = performance.now()
      remark(`${Math.min(start + AT_ONCE, ids.length).toLocaleString('en')} of ${counted(ids.length, 'job')}`)
    }
    return { changed, refused }
  } finally {
    process.off('SIGINT', stop)
  }
}
