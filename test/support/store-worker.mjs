// One process of `store-processes.ts`. It opens a subject and obeys messages. Plain JavaScript, because Node 20 runs
// nothing else.
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const [, , subjectPath = '', config = 'null'] = process.argv
const { open } = await import(pathToFileURL(subjectPath).href)

/** How many leases a renewed one lasts, so that it can be told from the first. Known to `store-processes.ts`. */
const RENEWED_LEASES = 2

/** What a process does with one event. A subject may bring its own, with the same step names. */
async function attemptOf({ store, effect }, { key, owner, leaseMs, retentionMs }, step) {
  step('started')
  const claiming = store.claim(key, owner, leaseMs)
  step('claim sent')
  const answer = await claiming
  if (answer !== 'acquired') return answer
  step('claim answered')
  if (store.renew) {
    const renewing = store.renew(key, owner, RENEWED_LEASES * leaseMs)
    step('renewal sent')
    if (!(await renewing)) return 'lost'
    step('renewal answered')
  }
  if (effect) {
    const doing = effect(key.eventId)
    step('effect sent')
    await doing
    step('effect answered')
  }
  const committing = store.commit(key, owner, retentionMs)
  step('commit sent')
  const committed = await committing
  if (committed === 'lost') return 'lost'
  step('commit answered')
  return answer
}

const die = () => process.kill(process.pid, 'SIGKILL')

/** Reports each step, and dies at the chosen one: at once, or when its output has left. */
function stepper({ dieAt, dieLater }) {
  return (step) => {
    process.send({ step })
    if (step !== dieAt) return
    if (dieLater) setImmediate(die)
    else die()
  }
}

async function handled(store, key, leaseMs, retentionMs) {
  const owner = randomUUID()
  try {
    const claimed = await store.claim(key, owner, leaseMs)
    return claimed === 'acquired' ? await store.commit(key, owner, retentionMs) : claimed
  } catch {
    return 'undecided'
  }
}

async function untilDecided(ask) {
  for (const until = performance.now() + 20_000; ; ) {
    try {
      return await ask()
    } catch (error) {
      if (performance.now() > until) throw error
    }
  }
}

const verbs = {
  async race(subject, { key, owners, leaseMs }) {
    return Promise.all(owners.map(async (owner) => subject.store.claim(key, owner, leaseMs)))
  },
  async claim(subject, { key, owner, leaseMs }) {
    return subject.store.claim(key, owner, leaseMs)
  },
  async renewAfter({ store }, { key, owner, leaseMs, afterMs }) {
    await sleep(afterMs)
    return store.renew(key, owner, leaseMs)
  },
  /** Claims an event again and again. Answers with the owner that got it, or null. */
  async contend({ store }, { key, name, leaseMs, forMs }) {
    await sleep(forMs / 3)
    for (const until = performance.now() + (forMs * 2) / 3; performance.now() < until; ) {
      if ((await store.claim(key, name, leaseMs)) === 'acquired') return name
    }
    return null
  },
  async commit(subject, { key, owner, retentionMs }) {
    return subject.store.commit(key, owner, retentionMs)
  },
  /** Claims and commits events of its own, several at a time. Answers as `commit` does, or what else happened. */
  async handle({ store }, { keys, lanes, leaseMs, retentionMs }) {
    const answers = []
    let next = 0
    const lane = async () => {
      while (next < keys.length) {
        const number = next
        next += 1
        answers[number] = await handled(store, keys[number], leaseMs, retentionMs)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return answers
  },
  /** What a later delivery of each event gets, asked until the store decides. */
  async read({ store }, { keys }) {
    const answers = []
    for (const key of keys) answers.push(await untilDecided(() => store.claim(key, randomUUID(), 1)))
    return answers
  },
  async attempt(subject, request) {
    const run = subject.attempt ?? ((given, step) => attemptOf(subject, given, step))
    return run(request, stepper(request))
  },
  async effects(subject, { eventId }) {
    return subject.effects ? Number(await subject.effects(eventId)) : null
  },
}

const subject = await open(JSON.parse(config))
process.on('message', async ({ id, verb, request }) => {
  try {
    process.send({ id, answer: await verbs[verb](subject, request) })
  } catch (error) {
    process.send({ id, failure: String(error?.stack ?? error) })
  }
})
process.once('disconnect', async () => {
  setTimeout(() => process.exit(), 1000) // a store without its server may never close
  await subject.close?.()
  process.exit()
})
// Connect before the first step, so that its requests can leave.
await subject.store.release({ listenerId: 'warm-up', eventId: randomUUID() }, 'nobody')
process.send({ ready: true })
