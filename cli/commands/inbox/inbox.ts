import type { ListenerJobs } from '../../../src/inbox/overview.ts'
import { type Command, defineCommand, type OptionRows } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { print, toJsonLine } from '../../command-line/output.ts'
import { list } from './list.ts'
import { again, forget } from './mend.ts'
import { STORE_OPTIONS, withInbox } from './open.ts'
import { show } from './show.ts'
import { age, oneLine } from './shown.ts'

const OPTIONS = {
  ...STORE_OPTIONS,
  json: {
    says: 'Print one line of JSON: table, listeners of listener, waiting, running, held, dead, done, oldest',
  },
} satisfies OptionRows

export const inboxCommand: Command = defineCommand({
  name: 'inbox',
  summary: 'list the jobs of an inbox, run them again, or delete them',
  commands: { list, show, again, forget },
  options: OPTIONS,
  notes: [
    'Without a command, prints for each listener how many jobs wait, run, are dead and are done, and how long the oldest one has waited. Prints no payload: only show --body does.',
  ],
  examples: [
    'hookgate inbox --store postgres://localhost/app',
    'hookgate inbox list --dead --listener stripe',
    'hookgate inbox again --dead --type invoice.paid',
    'hookgate inbox again --help',
  ],
  async run(given) {
    await withInbox(given, async (box, table) => {
      const listeners = await box.overview()
      if (given.json) print(toJsonLine({ table, listeners: listeners.map(jsonOf) }))
      else for (const line of overviewLines(listeners, Date.now())) print(line)
    })
    return EXIT.done
  },
})

const jsonOf = ({ oldest, ...jobs }: ListenerJobs) => ({ ...jobs, oldest: oldest ?? null })

const HEAD = ['WAITING', 'RUNNING', 'HELD', 'DEAD', 'DONE', 'OLDEST WAITING']

export function overviewLines(listeners: readonly ListenerJobs[], now: number): readonly string[] {
  if (listeners.length === 0) return ['the inbox is empty']
  const names = ['LISTENER', ...listeners.map(({ listener }) => oneLine(listener))]
  const rows = listeners.map(({ waiting, running, held, dead, done, oldest }) => [
    ...[waiting, running, held, dead, done].map((count) => count.toLocaleString('en')),
    oldest === undefined ? '-' : age(now - oldest.getTime()),
  ])
  const widest = Math.max(...names.map(({ length }) => length))
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return [HEAD, ...rows].map((row, line) =>
    [names[line]?.padEnd(widest), ...row.map((cell, column) => cell.padStart(widths[column] ?? 0))].join(
      '  ',
    ),
  )
}
