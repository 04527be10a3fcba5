import { type Command, defineCommand, type OptionRows } from '../../command-line/command.ts'
import { EXIT, RefusedError } from '../../command-line/exit.ts'
import { print, toJsonLine } from '../../command-line/output.ts'
import { CHOICE_OPTIONS, EVENT_OPTION, NO_SUCH_JOB, nameOf } from './choice.ts'
import { STORE_OPTIONS, withInbox } from './open.ts'
import { jsonOf, shownLines } from './shown.ts'

const OPTIONS = {
  ...STORE_OPTIONS,
  listener: { ...CHOICE_OPTIONS.listener, says: 'With --event: the listener of the event, by its id' },
  ...EVENT_OPTION,
  body: { says: 'Also print the payload and the whole error, which are personal data' },
  json: { says: 'Print NDJSON, as list does; with --body also body, or bodyBase64 if it is no text' },
} satisfies OptionRows

export const show: Command = defineCommand({
  name: 'inbox show',
  summary: 'show a job',
  operand: { name: 'ID', required: false },
  options: OPTIONS,
  notes: ['ID is that of the job, as list prints it: job_…'],
  examples: [
    'hookgate inbox show job_… --store postgres://localhost/app',
    'hookgate inbox show --listener stripe --event evt_1QabcD --body',
    'hookgate inbox show --listener github --event 72d3162e-cc78-11e3-81ab-4c9367dc0958',
  ],
  async run(given, id) {
    const name = nameOf(given, id)
    const { body = false, json } = given
    const jobs = await withInbox(given, (box) => box.get(name, { body }))
    if (jobs.length === 0) throw new RefusedError(NO_SUCH_JOB)
    for (const [index, job] of jobs.entries()) {
      if (json) print(toJsonLine(jsonOf(job, body)))
      else print([...(index > 0 ? [''] : []), ...shownLines(job, body)].join('\n'))
    }
    return EXIT.done
  },
})
