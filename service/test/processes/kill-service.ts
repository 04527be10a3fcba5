import { setTimeout as pause } from 'node:timers/promises'
import { explain } from './explain.ts'
import { type Answers, InsistentSender, noAnswers } from './insistent-sender.ts'
import { ServiceProcess } from './service-process.ts'

export interface KillOptions {
  /** The `SERVICE_…` variables of every process. They all use one database. */
  readonly settings: Readonly<Record<string, string>>
  /** The number of service processes. PGlite allows one. */
  readonly processes: number
  readonly kills: number
  /** The number of events in flight. */
  readonly senders: number
  /** Is told what has happened so far. */
  readonly progress?: (text: string) => void
}

export interface KillCounts extends Answers {
  readonly kills: number
  readonly events: number
  readonly runs: number
  readonly effects: number
  /** Events whose first answer was lost, but which were accepted. */
  readonly answersLost: number
  /** Accepted events without a successful run, or without one of its effects. */
  readonly lost: number
  /** How long after the last restart the last run ended. */
  readonly drainSeconds: number
  /** Runs and effects beyond the first of each event. */
  readonly twice: number
  /** For each event with something lost or twice, the state of its run and its job. */
  readonly explanations: readonly string[]
}

/** Each event's effect is two records, so that a kill may come between them. */
const STEPS = ['first', 'second'].map((step) => ({ type: 'record', valueCel: `ctx.trigger.id + " ${step}"` }))
const MOST_QUIET_MS = 600_000

/**
 * Kills the service repeatedly while events arrive, most of them more than once. Then looks for lost and repeated
 * effects.
 */
export async function killService(options: KillOptions): Promise<KillCounts> {
  const processes = Array.from({ length: options.processes }, () => new ServiceProcess(options.settings))
  let judged: ReturnType<typeof judge>
  let drainSeconds: number
  let answers: ReturnType<EventStream['answers']>
  try {
    for (const each of processes) await each.start()
    const [first] = processes
    if (first === undefined) throw new TypeError('processes must be at least 1')
    const { automation, signingSecret } = await newAutomation(first)
    const stream = new EventStream(
      processes,
      automation.trigger.incomingWebhook.listenerId,
      signingSecret.secret,
    )
    const streaming = Promise.all(Array.from({ length: options.senders }, () => stream.flow()))
    const { progress = () => {} } = options
    for (let kill = 1; kill <= options.kills; kill += 1) {
      await killOne(processes)
      progress(`${kill} of ${options.kills} kills, ${stream.events.size} events`)
    }
    const restarted = performance.now()
    stream.end()
    await streaming
    judged = judge(stream.events, await drained(first, automation.id, progress))
    drainSeconds = Math.round((performance.now() - restarted) / 1_000)
    answers = stream.answers()
  } finally {
    await Promise.all(processes.map((each) => each.kill()))
  }
  const { wrong, ...counts } = judged
  const explanations = await explain(options.settings, wrong)
  return { kills: options.kills, ...answers, ...counts, drainSeconds, explanations }
}

async function newAutomation(service: ServiceProcess) {
  const created = await service.ask('POST', '/api/v1/automations', {
    displayName: 'Survivor',
    steps: STEPS,
    trigger: { enabled: true, incomingWebhook: { hmac: {} } },
  })
  await service.ask('POST', `/api/v1/automations/${created.automation.id}/action/publish`)
  return created
}

/** At a random moment of its life, often just after its start. */
async function killOne(processes: readonly ServiceProcess[]): Promise<void> {
  await pause(Math.random() * 400)
  const victim = processes[Math.floor(Math.random() * processes.length)]
  await victim?.kill()
  await victim?.start()
}

/** Sends events to random processes until stopped, a third of them twice at once, and a third again later. */
class EventStream {
  readonly events = new Set<string>()
  readonly #senders: InsistentSender[] = []
  readonly #url: () => string
  readonly #secret: string
  #ended = false
  #answersLost = 0

  constructor(processes: readonly ServiceProcess[], listenerId: string, secret: string) {
    this.#secret = secret
    this.#url = () => {
      const { origin = '' } = processes[Math.floor(Math.random() * processes.length)] ?? {}
      return `${origin}/api/v1/webhooks/incoming/${listenerId}`
    }
  }

  async flow(): Promise<void> {
    const sender = new InsistentSender(this.#secret, this.#url)
    this.#senders.push(sender)
    while (!this.#ended) {
      const id = crypto.randomUUID()
      const body = JSON.stringify({ id })
      this.events.add(id)
      const luck = Math.random()
      const { accepted } = sender.answers
      if (luck < 1 / 3) await Promise.all([sender.deliver(id, body), sender.deliver(id, body)])
      else await sender.deliver(id, body)
      if (sender.answers.accepted === accepted) this.#answersLost += 1
      if (luck > 2 / 3) await sender.deliver(id, body)
    }
  }

  end(): void {
    this.#ended = true
  }

  answers(): Answers & { answersLost: number } {
    const sum = noAnswers()
    for (const { answers } of this.#senders) {
      for (const name of Object.keys(sum) as (keyof Answers)[]) sum[name] += answers[name] // its own keys
    }
    return { ...sum, answersLost: this.#answersLost }
  }
}

interface Found {
  readonly runs: readonly { readonly eventId: string; readonly state: string }[]
  /** `<event> first`, `<event> second`. */
  readonly effects: readonly string[]
}

/** Waits until no run is left, or none ends any more. The rest counts as lost. */
async function drained(
  service: ServiceProcess,
  automationId: string,
  progress: (text: string) => void,
): Promise<Found> {
  const path = `/api/v1/automations/${automationId}`
  const runs = (await service.listed(`${path}/runs`)).map(({ run }) => run)
  let quietSince = Date.now()
  let unfinished = runs.filter(isUnfinished)
  while (unfinished.length > 0 && Date.now() - quietSince < MOST_QUIET_MS) {
    progress(`${unfinished.length} of ${runs.length} runs wait`)
    await pause(1_000)
    for (const run of unfinished) Object.assign(run, await service.ask('GET', `/api/v1/runs/${run.id}`))
    const left = unfinished.filter(isUnfinished)
    if (left.length < unfinished.length) quietSince = Date.now()
    unfinished = left
  }
  const effects = (await service.listed(`${path}/records`)).map(({ record }) => JSON.parse(record.value))
  return { runs, effects }
}

const isUnfinished = ({ finishedAt }: { finishedAt: string | null }) => finishedAt === null

function judge(events: ReadonlySet<string>, { runs, effects }: Found) {
  const ofRuns = runs.map(({ eventId }) => eventId)
  const ofEffects = effects.map((effect) => effect.split(' ', 1)[0] ?? '')
  const succeeded = new Set(
    runs.filter(({ state }) => state === 'RUN_STATE_SUCCEEDED').map(({ eventId }) => eventId),
  )
  const there = new Set(effects)
  const lost = [...events].filter(
    (id) => !(succeeded.has(id) && there.has(`${id} first`) && there.has(`${id} second`)),
  )
  const twice = runs.length - new Set(ofRuns).size + effects.length - there.size
  const repeated = twice > 0 ? [...moreThan(1, ofRuns), ...moreThan(STEPS.length, ofEffects)] : []
  return {
    events: events.size,
    runs: runs.length,
    effects: effects.length,
    lost: lost.length,
    twice,
    wrong: [...new Set([...lost, ...repeated])],
  }
}

/** The elements that occur more than once. */
function moreThan(times: number, list: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const each of list) counts.set(each, (counts.get(each) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > times).map(([each]) => each)
}
