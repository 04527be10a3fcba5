import { VIEW_PATHS } from '../../src/tasks/schema/view.ts'
import { viewOf } from './expanding.ts'
import type { Policy } from './policies.ts'
import { isOpen, type Task } from './tasks.ts'
import { judge, same, type World } from './world.ts'

/** A list operation with its filters. */
interface Listed {
  readonly ask: (page: object) => ReturnType<World['ask']>
  /** The listed elements, each with its place: a number that grows along the list and never changes. */
  readonly elements: () => readonly (readonly [place: number, element: () => unknown])[]
}

/** A client on its way through a list. */
export interface Walk {
  readonly list: Listed
  /** The place of the last element that the client saw. */
  readonly after: number
  readonly token: string
}

/** Asks for a page: the first of a list, or the next one of an earlier walk. */
export async function readPage(world: World): Promise<void> {
  const { random, walks } = world
  const walk = walks.length > 0 && random.chance(0.7) ? random.pick(walks) : begin(world)
  const size = random.pick([undefined, -3, 0, 9, 10, 11, 25, 40, 99, 100, 101, 1_000_000])
  const reply = await walk.list.ask({
    ...(size !== undefined && { page_size: size }),
    ...(walk.token !== '' && { page_token: walk.token }),
  })
  judge(reply, [])
  const rest = walk.list.elements().filter(([place]) => place > walk.after)
  const page = rest.slice(0, Math.min(Math.max(size ?? 25, 10), 100))
  same(
    reply.body.list,
    page.map(([, element]) => element()),
  )
  const { nextPageToken: token } = reply.body
  same(token === '', page.length === rest.length)
  if (walks.includes(walk)) walks.splice(walks.indexOf(walk), 1)
  if (token !== '') walks.push({ list: walk.list, after: page.at(-1)?.[0] ?? 0, token })
}

/** A changed token, or one of another query, is refused (400) and never gives another page. */
export async function misuseToken(world: World): Promise<void> {
  const { random, walks } = world
  if (walks.length === 0) return
  const { list, token } = random.pick(walks)
  const at = Math.floor(random.below(token.length))
  const altered = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
  const wrong = random.pick([
    () => list.ask({ page_token: altered }),
    () => tasks(world, ['TASK_STATE_UNSPECIFIED']).ask({ page_token: token }),
  ])
  judge(await wrong(), ['400 page_token_invalid'])
}

function begin(world: World): Walk {
  const { random } = world
  const states = random.pick([
    undefined,
    [],
    ['TASK_STATE_OPEN'],
    ['TASK_STATE_CLOSED'],
    ['TASK_STATE_CLOSED', 'TASK_STATE_OPEN'],
  ])
  const userIds = random.pick([
    undefined,
    undefined,
    undefined,
    [],
    ['user-alan'],
    ['user-grace', '', 'none'],
  ])
  const list = random.pick([
    () => tasks(world, states, userIds),
    () => policies(world),
    () => entitlements(world),
    () => actionsOf(world, random.pick(world.tasks)),
  ])()
  return { list, after: Number.NEGATIVE_INFINITY, token: '' }
}

/** Newest first. */
function tasks(world: World, taskStates?: readonly string[], userIds?: readonly string[]): Listed {
  const fits = (task: Task) =>
    (!taskStates?.length || taskStates.includes(isOpen(task) ? 'TASK_STATE_OPEN' : 'TASK_STATE_CLOSED')) &&
    (userIds?.includes(task.fixed.userId) ?? true)
  const paths = Object.fromEntries(VIEW_PATHS.map((path) => [path, '']))
  return {
    ask: (page) =>
      world.ask('viewer', 'POST', '/api/v1/search/tasks', {
        ...page,
        ...(taskStates && { taskStates }),
        ...(userIds && { userIds }),
      }),
    elements: () =>
      world.tasks
        .filter(fits)
        .map((task) => [-task.numericId, () => ({ ...viewOf(task, 'viewer'), ...paths })]),
  }
}

/** Oldest first. A policy gets its place when it is first seen. */
function policies(world: World): Listed {
  const { random } = world
  const query = random.pick([undefined, '', 'p', 'GRANT', 'Three steps'])
  const policyTypes = random.pick<string[] | undefined>([
    undefined,
    [],
    ['POLICY_TYPE_GRANT'],
    ['POLICY_TYPE_REVOKE'],
  ])
  const { id } = random.pick(world.policies)
  const excludePolicyIds = random.pick<string[] | undefined>([undefined, [], [id, 'none']])
  const fits = ({ displayName, description, policyType, id }: Policy) =>
    [displayName, description].some((text) => text.toLowerCase().includes((query ?? '').toLowerCase())) &&
    (!policyTypes?.length || policyTypes.includes(policyType)) &&
    !excludePolicyIds?.includes(id)
  const filters = { query, policyTypes, excludePolicyIds }
  const isAll = random.chance(0.5)
  const search: Listed['ask'] = (page) =>
    world.ask('viewer', 'POST', '/api/v1/search/policies', { ...page, ...filters })
  // Places come first: a policy hidden by the filters still has its place before a younger visible one.
  const placed = () => world.policies.map((policy) => ({ policy, place: world.placeOf(policy.id) }))
  placed()
  return {
    ask: isAll ? get(world, '/api/v1/policies') : search,
    elements: () =>
      placed()
        .filter(({ policy }) => isAll || fits(policy))
        .map(({ policy, place }): [number, () => unknown] => [place, () => ({ policy })]),
  }
}

/** In the order of the seed, which never changes. */
function entitlements(world: World): Listed {
  return {
    ask: get(world, '/api/v1/apps/app-payroll/entitlements'),
    elements: () => world.entitlements.map((appEntitlement, place) => [place, () => ({ appEntitlement })]),
  }
}

function actionsOf(world: World, task: Task): Listed {
  return {
    ask: get(world, `/api/v1/tasks/${task.numericId}/actions`),
    elements: () => task.actions.map((taskAction, place) => [place, () => ({ taskAction })]),
  }
}

function get(world: World, path: string): Listed['ask'] {
  return (page) => {
    const query = Object.entries(page).map(([name, value]) => `${name}=${value}`)
    return world.ask('viewer', 'GET', `${path}?${query.join('&')}`)
  }
}
