import { expect } from 'vitest'
import type { ReplyBody } from '../support/reply.ts'
import { barred, judge, same, type Who, type World } from './world.ts'

const RECORD = { type: 'record', valueCel: 'ctx.trigger["a value"]' }
const SKIP = { type: 'skip_step', taskIdCel: 'ctx.trigger.task', commentCel: '"by webhook"' }
const DRAFTS = [[RECORD], [SKIP], [RECORD, SKIP], [SKIP, RECORD], [SKIP, SKIP, RECORD]] as const
export const PATH = '/api/v1/automations'

type Steps = (typeof DRAFTS)[number]

export interface Automation {
  readonly id: string
  readonly listenerId: string
  enabled: boolean
  draft: Steps
  published: Steps | undefined
  version: number | null
  /** The live ones, oldest first. */
  secrets: { readonly id: string; readonly secret: string }[]
  readonly records: unknown[]
}

/** Creates, changes, publishes or reads an automation, or rotates or withdraws a secret (specification, 4.2). */
export async function setUp(world: World): Promise<void> {
  const { random, automations } = world
  const who = world.mostly('super_admin')
  const isFirst = automations.length === 0
  if (isFirst || (automations.length < 8 && random.chance(0.2))) return create(world, who)
  await random.pick([change, change, publish, publish, publish, rotate, rotate, withdraw, remove])(
    world,
    random.pick(automations),
    who,
  )
}

async function create(world: World, who: Who): Promise<void> {
  const { random, automations } = world
  const [enabled, draft] = [random.chance(0.7), random.pick(DRAFTS)]
  const trigger = { enabled, incomingWebhook: { hmac: {} } }
  const reply = await world.ask(who, 'POST', PATH, { displayName: 'A', steps: draft, trigger })
  if (!judge(reply, barred(who, 'super_admin'))) return
  const { automation, signingSecret } = reply.body
  expect(Buffer.from(signingSecret.secret, 'base64url').length).toBe(32)
  const [id, listenerId] = [automation.id, automation.trigger.incomingWebhook.listenerId]
  const state = { enabled, draft, published: undefined, version: null, secrets: [signingSecret], records: [] }
  automations.push({ id: world.fresh(id), listenerId: world.fresh(listenerId), ...state })
}

type Act = (world: World, automation: Automation, who: Who) => Promise<void>

const change: Act = async (world, automation, who) => {
  const { random } = world
  const [enabled, steps] = [random.chance(0.8), random.pick([undefined, ...DRAFTS])]
  const [path, given] = [`${PATH}/${automation.id}`, { trigger: { enabled }, steps }]
  const reply = await world.ask(who, 'PATCH', path, given)
  if (!judge(reply, barred(who, 'super_admin'))) return
  Object.assign(automation, { enabled, draft: steps ?? automation.draft })
  checkShown(automation, reply.body.automation)
}

const publish: Act = async (world, automation, who) => {
  const reply = await world.ask(who, 'POST', `${PATH}/${automation.id}/action/publish`)
  if (!judge(reply, barred(who, 'super_admin'))) return
  Object.assign(automation, { published: automation.draft, version: (automation.version ?? 0) + 1 })
  checkShown(automation, reply.body.automation)
}

/** Its listener is deleted too, so later deliveries find none. */
const remove: Act = async (world, automation, who) => {
  const { automations, deleted } = world
  const reply = await world.ask(who, 'DELETE', `${PATH}/${automation.id}`)
  if (!judge(reply, barred(who, 'super_admin'))) return
  deleted.push(...automations.splice(automations.indexOf(automation), 1))
}

const rotate: Act = async (world, automation, who) => {
  const reply = await world.ask(
    who,
    'POST',
    `/api/v1/listeners/${automation.listenerId}/action/rotate-secret`,
  )
  if (!judge(reply, barred(who, 'super_admin'))) return
  automation.secrets = [...automation.secrets, reply.body.signingSecret].slice(-2)
}

const withdraw: Act = async (world, automation, who) => {
  const { random } = world
  const id = random.pick([...automation.secrets.map((secret) => secret.id), 'none'])
  const reply = await world.ask(who, 'DELETE', `/api/v1/listeners/${automation.listenerId}/secrets/${id}`)
  const unknown =
    id === 'none' ? ['404 secret_unknown'] : automation.secrets.length === 1 ? ['409 secret_last'] : []
  const no = barred(who, 'super_admin')
  if (!judge(reply, no.length > 0 ? no : unknown)) return
  automation.secrets = automation.secrets.filter((secret) => secret.id !== id)
}

function checkShown(
  { id, draft, version, enabled, secrets }: Automation,
  shown: ReplyBody['automation'],
): void {
  const { steps, publishedVersion, trigger } = shown
  const live = trigger.incomingWebhook.hmac.secrets.map((secret) => secret.id)
  same(
    [shown.id, steps, publishedVersion, trigger.enabled, live],
    [id, draft, version, enabled, secrets.map((secret) => secret.id)],
  )
}
