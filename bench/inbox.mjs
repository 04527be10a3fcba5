const HELP = `node bench/inbox.mjs [options]          (after npm run build)

Measures how many deliveries a second are verified and put, and how many jobs a second are run, on a Postgres of its own with
synchronous_commit on: by the inbox, by pg-boss and by graphile-worker. Needs Postgres. Names the queues that are missing:
"npm run test:queues" installs them.

Options:
  --events N     events per round (default 3,000)
  --rounds N     rounds, of which the best counts (default 3)
  --help         show this help`

import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const { inboxSubject } = await import('./inbox-subject.mjs')
const { graphileWorkerSubject, pgBossSubject } = await import('./queue-subjects.mjs')
const { WHY_NO_POSTGRES, queueRates } = await import('./queue-rates.mjs')
if (WHY_NO_POSTGRES) {
  console.log(WHY_NO_POSTGRES)
  process.exit(0)
}

/** Each opens as `inboxSubject` does. */
const SUBJECTS = [inboxSubject, pgBossSubject, graphileWorkerSubject]

const size = { events: Number(values.events), rounds: Number(values.rounds) }
console.log('| | puts per second | runs per second |\n|---|---|---|')
for (const open of SUBJECTS) {
  if (open.missing) {
    console.error(open.missing)
    continue
  }
  const { name, puts, runs } = await queueRates(open, size)
  console.log(
    `| ${name} | ${Math.round(puts).toLocaleString('en')} | ${Math.round(runs).toLocaleString('en')} |`,
  )
}
