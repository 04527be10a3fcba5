/**
 * A client as a stranger writes it: from the specification, on Node's own modules, with no code of this repository. Where
 * the specification shows neither path nor field, it takes those of ../../SPEC.md.
 *
 * Usage: node client.mjs BASE_URL TOKEN      The token of a super admin. Needs SERVICE_ALLOW_PRIVATE_JWKS=on
 *
 * Prints one line a shape. Exits 1 if the service answers one otherwise than the specification says.
 */
import assert from 'node:assert/strict'
import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const [BASE_URL = '', TOKEN = ''] = process.argv.slice(2)

// HTTP

/** Sends bytes as they are, and returns the status with the body as JSON. */
async function send(method, url, headers, body) {
  const sent = request(url, { method, headers: body === undefined ? headers : withLength(headers, body) })
  sent.end(body)
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, body: text === '' ? undefined : JSON.parse(text) }
}

function withLength(headers, body) {
  return headers['Transfer-Encoding'] ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) }
}

function call(method, path, body) {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' }
  return send(method, `${BASE_URL}${path}`, headers, body === undefined ? undefined : JSON.stringify(body))
}

async function ask(method, path, body) {
  const reply = await call(method, path, body)
  assert.equal(reply.status, 200, `${method} ${path}: ${JSON.stringify(reply)}`)
  return reply.body
}

const get = (path) => ask('GET', path)
const post = (path, body) => ask('POST', path, body)

/** Refused by a status of the 400s: the specification shows no status for the main API's failures (7.2). */
async function refused(method, path, body) {
  const { status } = await call(method, path, body)
  assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status}, not refused`)
}

async function eventually(read, done) {
  for (let round = 0; round < 600; round += 1) {
    const found = await read()
    if (done(found)) return found
    await pause(100)
  }
  throw new Error('it does not happen within a minute')
}

// The specification's tables

/** 2.2 and 2.4: each path of the mask, and the fields that locate its objects. */
const EXPANDS = {
  access_review_id: ['accessReviewPath'],
  user_id: ['userPath'],
  created_by_user_id: ['createdByUserPath'],
  app_id: ['appPath'],
  app_user_id: ['appUserPath'],
  app_entitlement_ids: ['entitlementsPath'],
  step_approver_ids: ['stepApproversPath'],
  approver_ids: ['approversPath'],
  identity_user_id: ['identityUserPath'],
  insight_ids: ['insightsPath'],
  app_user_last_usage: ['appUserLastUsagePath'],
  entitlement_scope_bindings: ['resourceBindingsPath'],
  scope_role_resources: ['roleResourcePath', 'scopeResourcePath'],
  resource: ['principalResourcePath'],
}
const VIEW_PATHS = Object.values(EXPANDS).flat()

/** 2.6 to 3.1. Further values may come (2). */
const ENUMS = {
  state: words('TASK_STATE', 'UNSPECIFIED OPEN CLOSED'),
  processing: words('TASK_PROCESSING_TYPE', 'UNSPECIFIED PROCESSING WAITING DONE'),
  recommendation: words('INSIGHT_RECOMMENDATION', 'UNSPECIFIED APPROVE DENY REVIEW'),
  origin: words(
    'TASK_ORIGIN',
    'UNSPECIFIED PROFILE_MEMBERSHIP_AUTOMATION CHAT API TICKETING COPILOT WEBAPP TIME_REVOKE NON_USAGE_REVOKE ' +
      'PROFILE_MEMBERSHIP_MANUAL PROFILE_MEMBERSHIP AUTOMATION ACCESS_REVIEW CASCADE_DELETE',
  ),
}

function words(prefix, text) {
  return text.split(' ').map((word) => `${prefix}_${word}`)
}

const isText = (value) => typeof value === 'string'
const isFlag = (value) => typeof value === 'boolean'
const isWhole = (value) => Number.isInteger(value)
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isInt64 = (value) => isText(value) && /^-?\d+$/.test(value)
const isTime = (value) => value === null || (isText(value) && !Number.isNaN(Date.parse(value)))
const orNull = (is) => (value) => value === null || is(value)
const listOf = (is) => orNull((value) => Array.isArray(value) && value.every(is))

const fields = (is, names) => Object.fromEntries(names.split(' ').map((name) => [name, is]))

/** 2.6. An enumerated field is a string of any value (2). */
const TASK = {
  ...fields(isText, 'id displayName description userId createdByUserId analysisId policyGenerationId'),
  ...fields(isText, 'state processing origin recommendation'),
  ...fields(isInt64, 'numericId'),
  ...fields(isWhole, 'commentCount'),
  ...fields(isFlag, 'emergencyAccess'),
  ...fields(isTime, 'createdAt updatedAt deletedAt'),
  ...fields(orNull(isObject), 'type data form policy'),
  ...fields(listOf(isObject), 'annotations externalRefs revocationTargets'),
  ...fields(listOf(isText), 'actions approverIds stepApproverIds insightIds'),
}

/** 2.9. */
const POLICY = {
  ...fields(isText, 'id displayName description policyType baselinePolicyId'),
  ...fields(isFlag, 'reassignTasksToDelegates systemBuiltin'),
  ...fields(isTime, 'createdAt updatedAt deletedAt'),
  ...fields(isObject, 'policySteps annotations'),
  ...fields(orNull(isObject), 'scope'),
  ...fields(listOf(isObject), 'rules postActions'),
}

const STEP_KINDS = ['approval', 'provision', 'accept', 'reject', 'wait', 'form', 'action']
const WAITING_KINDS = ['wait', 'form', 'approval']
const TASK_KINDS = ['grant', 'revoke', 'certify', 'offboarding', 'action', 'finding']

function checkFields(object, expected) {
  for (const [name, is] of Object.entries(expected))
    assert.ok(is(object[name]), `${name} is ${JSON.stringify(object[name])}`)
}

function checkOneOf(object, names) {
  const set = names.filter((name) => object[name] !== null && object[name] !== undefined)
  assert.equal(set.length, 1, `${set.length} of ${names} are set`)
  return set[0]
}

function checkView({ task, objectPermissions, ...paths }) {
  checkFields(objectPermissions, { ...fields(isFlag, 'read edit delete'), extra: isObject })
  checkFields(paths, fields(isText, VIEW_PATHS.join(' ')))
  checkFields(task, TASK)
  const kind = checkOneOf(task.type, TASK_KINDS)
  checkFields(task.type[kind], { outcome: isText, outcomeTime: isTime })
  const { current, history, next, policy } = task.policy
  for (const step of [...(history ?? []), ...(current === null ? [] : [current])]) {
    checkFields(step, fields(isText, 'id policyGenerationId state'))
    checkOneOf(step, STEP_KINDS)
  }
  for (const step of next ?? []) checkOneOf(step, STEP_KINDS)
  checkFields(policy, POLICY)
}

/** The objects at `$.expanded[0,3]`, as far as JSONPath goes here. None at an empty path. */
function located(path, expanded) {
  if (path === '') return []
  const [, places] = /^\$\.expanded\[(\d+(?:,\d+)*)\]$/.exec(path) ?? []
  assert.ok(places, `${path} is no path into expanded`)
  const objects = places.split(',').map((place) => (expanded ?? [])[place])
  for (const object of objects) assert.ok(isText(object?.['@type']), `${path} leads to no typed object`)
  return objects
}

// Signing (5.2)

const base64url = (bytes) => Buffer.from(bytes).toString('base64url')
const nowInSeconds = () => Math.floor(Date.now() / 1000)

function hmacHeaders(
  secret,
  body,
  { timestamp = nowInSeconds(), eventId = randomUUID(), signed = body } = {},
) {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${eventId}.`).update(signed).digest()
  return {
    'Content-Type': 'application/json',
    'Webhook-Timestamp': `${timestamp}`,
    'Webhook-Event-Id': eventId,
    'Webhook-Signature': base64url(digest),
  }
}

const SIGNERS = {
  RS256: [
    () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    (text, key) => sign('sha256', text, key),
  ],
  ES256: [
    () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    (text, key) => sign('sha256', text, { key, dsaEncoding: 'ieee-p1363' }),
  ],
  EdDSA: [() => generateKeyPairSync('ed25519'), (text, key) => sign(null, text, key)],
}
const KEYS = Object.fromEntries(
  Object.entries(SIGNERS).map(([alg, [generate]]) => [alg, { kid: `key of ${alg}`, ...generate() }]),
)

/** Claims and header members of undefined are left out. */
function jwtHeaders(
  url,
  body,
  { alg = 'ES256', key = KEYS[alg], eventId = randomUUID(), claims = {}, header = {} } = {},
) {
  const payload = {
    sub: BASE_URL,
    aud: url,
    exp: nowInSeconds() + 300,
    jti: eventId,
    htm: 'POST',
    htb_s256: base64url(createHash('sha256').update(body).digest()),
    ...claims,
  }
  const parts = [{ alg, kid: key.kid, ...header }, payload]
  const signed = parts.map((part) => base64url(JSON.stringify(part))).join('.')
  const [, signWith] = SIGNERS[alg]
  return {
    'Content-Type': 'application/json',
    'Webhook-Timestamp': `${nowInSeconds()}`,
    'Webhook-Event-Id': eventId,
    Authorization: `Bearer ${signed}.${base64url(signWith(Buffer.from(signed), key.privateKey))}`,
  }
}

/** The sender's JWKS, on a server of its own. One key names its algorithm and use, the others only what they must. */
async function hostKeys() {
  const keys = Object.entries(KEYS).map(([alg, { kid, publicKey }]) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid,
    ...(alg === 'RS256' && { alg, use: 'sig' }),
  }))
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${server.address().port}/.well-known/jwks.json`, server }
}

// What the shapes work with

const unique = (name) => `${name} ${randomUUID().slice(0, 8)}`
const ids = (objects) => objects.map(({ id }) => id)

async function newAutomation(incomingWebhook, { steps, publish = true, enabled = true } = {}) {
  const { automation, signingSecret } = await post('/api/v1/automations', {
    displayName: unique('foreign'),
    steps: steps ?? [{ type: 'record', valueCel: 'ctx.trigger' }],
    trigger: { enabled, incomingWebhook },
  })
  const publication = `/api/v1/automations/${automation.id}/action/publish`
  if (publish) await post(publication)
  const { url } = automation.trigger.incomingWebhook
  const secret = signingSecret?.secret
  const recorded = async () => {
    const { list } = await get(`/api/v1/automations/${automation.id}/records?page_size=100`)
    return list.map(({ record }) => record.value).toReversed()
  }
  const deliver = async (body, options) =>
    (await send('POST', url, hmacHeaders(secret, body, options), body)).status
  return { id: automation.id, url, secret, recorded, deliver, publish: () => post(publication) }
}

function newPolicy(policyType, rest) {
  return post('/api/v1/policies', { displayName: unique('foreign'), policyType, ...rest }).then(
    ({ policy }) => policy,
  )
}

/** An app with an owner, an account and so many entitlements. */
async function newApp(entitlements = 1) {
  const [appId, userId, appUserId] = [randomUUID(), randomUUID(), randomUUID()]
  const entitlementIds = Array.from({ length: entitlements }, () => randomUUID())
  await post('/api/v1/import', {
    users: [{ id: userId, displayName: 'Grace' }],
    apps: [{ id: appId, displayName: 'Payroll' }],
    entitlements: entitlementIds.map((id, n) => ({ id, appId, displayName: `Entitlement ${n % 7}` })),
    appUsers: [
      {
        id: appUserId,
        appId,
        displayName: 'grace',
        identityUserId: userId,
        lastUsedAt: '2026-11-27T09:00:00Z',
      },
    ],
  })
  return { appId, userId, appUserId, entitlementIds, appEntitlementId: entitlementIds[0] }
}

/** A task for somebody's offboarding, with so many steps ahead, each of another kind. */
async function newTask(steps = 3, rest = {}) {
  const { userId } = await newApp(0)
  const { id } = await newPolicy('POLICY_TYPE_GRANT', {
    policySteps: { grant: { steps: WAITING_KINDS.slice(0, steps).map((kind) => ({ [kind]: {} })) } },
  })
  const type = { offboarding: { subjectUserId: userId } }
  return (await post('/api/v1/tasks', { type, policyId: id, ...rest })).taskView.task
}

async function skip(task, { by = task.id, ...rest } = {}) {
  const { policy } = (await get(`/api/v1/tasks/${task.id}`)).taskView.task
  return post(`/api/v1/tasks/${by}/action/skip-step`, { policyStepId: policy.current.id, ...rest })
}

/** Every element of a list, and how many each page had. `page` asks for one with a token. */
async function walk(page) {
  const [all, sizes] = [[], []]
  let token = ''
  do {
    const { list, nextPageToken } = await page(token)
    all.push(...list)
    sizes.push(list.length)
    token = nextPageToken
  } while (token !== '')
  return { all, sizes }
}

// The shapes

const SHAPES = {
  'Skip Step takes an ID and a numeric ID, and advances by one step (4.1)': async () => {
    const task = await newTask(3)
    assert.ok(task.actions.includes('TASK_ACTION_TYPE_SKIP_STEP'))
    const kindsOf = (steps) => steps.map((step) => checkOneOf(step, STEP_KINDS))
    assert.deepEqual(kindsOf([task.policy.current, ...task.policy.next]), WAITING_KINDS)
    for (const [round, by] of [task.id, task.numericId].entries()) {
      const comment = `round ${round}`
      const { taskView, ticketActionId, expanded } = await skip(task, { by, comment })
      checkView(taskView)
      assert.ok(isText(ticketActionId) && ticketActionId !== '')
      assert.ok(expanded === null || expanded.length === 0)
      const { current, history, next } = taskView.task.policy
      assert.deepEqual([history.length, next.length], [round + 1, 1 - round])
      assert.deepEqual(kindsOf([...history, current, ...next]), WAITING_KINDS)
      assert.equal(taskView.task.commentCount, round + 1)
      assert.equal(history.at(-1).state, 'POLICY_STEP_STATE_DONE')
      assert.equal(current.state, 'POLICY_STEP_STATE_ACTIVE')
      assert.ok(!ids(history).includes(current.id))
    }
    await refused('POST', `/api/v1/tasks/${task.id}/action/skip-step`, {})
    await refused('POST', `/api/v1/tasks/${task.id}/action/skip-step`, { policyStepId: randomUUID() })
    const { current } = (await get(`/api/v1/tasks/${task.id}`)).taskView.task.policy
    const unknown = { policyStepId: current.id, expandMask: { paths: ['user'] } }
    await refused('POST', `/api/v1/tasks/${task.id}/action/skip-step`, unknown)
    const { task: closed } = (await skip(task)).taskView
    assert.deepEqual([closed.policy.current, closed.policy.history.length], [null, 3])
    assert.equal(closed.state, 'TASK_STATE_CLOSED')
    assert.equal(closed.processing, 'TASK_PROCESSING_TYPE_DONE')
  },

  'A task is advanced once, however many clients skip its step (3.2)': async () => {
    const task = await newTask(3)
    const path = `/api/v1/tasks/${task.id}/action/skip-step`
    const body = { policyStepId: task.policy.current.id, expandMask: null }
    const replies = await Promise.all(Array.from({ length: 8 }, () => call('POST', path, body)))
    assert.equal(replies.filter(({ status }) => status === 200).length, 1)
    const { policy } = (await get(`/api/v1/tasks/${task.numericId}`)).taskView.task
    assert.equal(policy.history.length, 1)
  },

  'expandMask takes *, each path alone, none and null (2.2, 2.4)': async () => {
    const { appId, userId, appUserId, appEntitlementId } = await newApp()
    const [review, principal, role, scope, ...insights] = Array.from({ length: 6 }, () => randomUUID())
    await post('/api/v1/import', {
      accessReviews: [{ id: review, name: 'Q4' }],
      insights: insights.map((id) => ({ id })),
      appResources: [principal, role, scope].map((id) => ({ id })),
      entitlementScopeBindings: [{ id: appEntitlementId }],
    })
    const me = (await newTask()).createdByUserId
    const steps = Array(20).fill({ approval: { userIds: [me] } })
    const { id: policyId } = await newPolicy('POLICY_TYPE_CERTIFY', { policySteps: { certify: { steps } } })
    const resource = { id: principal }
    const certify = { appId, appEntitlementId, appUserId, accessReviewId: review, resource }
    const created = await post('/api/v1/tasks', { type: { certify }, policyId, insightIds: insights })
    const { task } = created.taskView
    await post(`/api/v1/tasks/${task.id}/action/approve`, { policyStepId: task.policy.current.id })
    const expected = {
      ...{ accessReviewPath: [review], insightsPath: insights, createdByUserPath: [me], appPath: [appId] },
      ...{ appUserPath: [appUserId], entitlementsPath: [appEntitlementId], stepApproversPath: [me] },
      ...{ approversPath: [me], identityUserPath: [userId], principalResourcePath: [principal] },
      ...{ resourceBindingsPath: [appEntitlementId] },
    }
    const found = async (expandMask) => {
      const { taskView, expanded } = await skip(task, { expandMask })
      return Object.fromEntries(VIEW_PATHS.map((name) => [name, located(taskView[name], expanded)]))
    }
    const everything = await found({ paths: ['*'] })
    for (const [name, objects] of Object.entries(expected))
      assert.deepEqual(ids(everything[name]).toSorted(), objects.toSorted(), name)
    assert.match(everything.appUserLastUsagePath[0]['@type'], /Timestamp$/)
    for (const [path, names] of Object.entries(EXPANDS)) {
      const one = await found({ paths: [path] })
      for (const name of names) assert.deepEqual(one[name], everything[name], name)
    }
    for (const mask of [null, {}, { paths: null }, { paths: [] }])
      assert.ok(Object.values(await found(mask)).every((objects) => objects.length === 0))
    const offboarded = await skip(await newTask(), { expandMask: { paths: ['user_id', 'user_id'] } })
    const { userPath, task: of } = offboarded.taskView
    assert.deepEqual(ids(located(userPath, offboarded.expanded)), [of.userId])
    const type = { action: { scopeRole: { roleResourceId: role, scopeResourceId: scope } } }
    const { taskView, expanded } = await skip(await newTask(3, { type }), { expandMask: { paths: ['*'] } })
    assert.deepEqual(ids(located(taskView.roleResourcePath, expanded)), [role])
    assert.deepEqual(ids(located(taskView.scopeResourcePath, expanded)), [scope])
  },

  'Entitlements come in pages of 10 to 100, and 25 by default (4.3, 8.1)': async () => {
    const { appId, entitlementIds } = await newApp(230)
    for (const [given, size] of [
      [undefined, 25],
      [-5, 10],
      [0, 10],
      [9, 10],
      [10, 10],
      [60, 60],
      [100, 100],
      [101, 100],
      [99999, 100],
    ]) {
      const query = given === undefined ? '' : `page_size=${given}&`
      const { all, sizes } = await walk((token) =>
        get(`/api/v1/apps/${appId}/entitlements?${query}page_token=${encodeURIComponent(token)}`),
      )
      assert.deepEqual(sizes.slice(0, -1), Array(Math.ceil(230 / size) - 1).fill(size), `page_size ${given}`)
      assert.deepEqual(
        ids(all.map(({ appEntitlement }) => appEntitlement)).toSorted(),
        entitlementIds.toSorted(),
      )
    }
    assert.equal((await get(`/api/v1/apps/${appId}/entitlements`)).list.length, 25)
  },

  'A search takes page_size and page_token in its body (4.3)': async () => {
    const { userId } = await newTask(1)
    const { id: policyId } = await newPolicy('POLICY_TYPE_GRANT', {
      policySteps: { grant: { steps: [{ wait: {} }] } },
    })
    for (let n = 0; n < 24; n += 1)
      await post('/api/v1/tasks', { type: { offboarding: { subjectUserId: userId } }, policyId })
    const search = (page_size) =>
      walk((page_token) => post('/api/v1/search/tasks', { userIds: [userId], page_size, page_token }))
    const { all, sizes } = await search(3)
    assert.deepEqual(sizes, [10, 10, 5])
    assert.equal(new Set(ids(all.map(({ task }) => task))).size, 25)
    for (const view of all) checkView(view)
    assert.deepEqual((await search(undefined)).sizes, [25])
    await refused('POST', '/api/v1/search/tasks', { page_token: 'of nobody' })
  },

  'Values outside the listed sets are tolerated (2, 9)': async () => {
    const { all } = await walk((page_token) => post('/api/v1/search/tasks', { page_size: 100, page_token }))
    const values = all.flatMap(({ task }) => Object.keys(ENUMS).map((name) => [name, task[name]]))
    for (const [name, value] of values) assert.ok(isText(value) && value !== '', name)
    const outside = values.filter(([name, value]) => !ENUMS[name].includes(value))
    return `${outside.length} of ${all.length} tasks have one`
  },

  'An HMAC webhook runs its automation once, and again is 409 (5.2, 6)': async () => {
    const valueCel = '[ctx.trigger.contract, ctx.trigger["signed by"]]'
    const automation = await newAutomation({ hmac: {} }, { steps: [{ type: 'record', valueCel }] })
    assert.equal(Buffer.from(automation.secret, 'base64url').length, 32)
    assert.equal(base64url(Buffer.from(automation.secret, 'base64url')), automation.secret)
    const [body, eventId] = ['{"contract":"Č-1","signed by":"Ada"}', randomUUID()]
    const statuses = []
    for (let n = 0; n < 3; n += 1) statuses.push(await automation.deliver(body, { eventId }))
    statuses.push(await automation.deliver('{}', { eventId }))
    assert.deepEqual(statuses, [200, 409, 409, 409])
    const other = await newAutomation({ hmac: {} })
    assert.equal(await other.deliver(body, { eventId }), 200)
    const values = await eventually(automation.recorded, ({ length }) => length > 0)
    assert.deepEqual(
      values.map((value) => JSON.parse(value)),
      [['Č-1', 'Ada']],
    )
  },

  'An HMAC webhook is refused with 401 (5.2)': async () => {
    const automation = await newAutomation({ hmac: {} })
    const { url, secret, deliver } = automation
    const body = '{"n":1}'
    const { 'Webhook-Signature': _, ...unsigned } = hmacHeaders(secret, body)
    assert.equal((await send('POST', url, unsigned, body)).status, 401)
    assert.equal((await send('POST', url, jwtHeaders(url, body), body)).status, 401)
    assert.equal(await deliver(body, { signed: '{"n":2}' }), 401)
    for (const wrong of [(await newAutomation({ hmac: {} })).secret, Buffer.from(secret, 'base64url')])
      assert.equal((await send('POST', url, hmacHeaders(wrong, body), body)).status, 401)
    assert.equal(await deliver(body), 200)
    const values = await eventually(automation.recorded, ({ length }) => length > 0)
    assert.equal(values.length, 1)
  },

  'A webhook with a stale time, a foreign ID or no JSON is refused with 400 (5.2, 7.1)': async () => {
    const { url, secret, deliver } = await newAutomation({ hmac: {} })
    const body = '{"n":1}'
    for (const off of [-310, 310]) assert.equal(await deliver(body, { timestamp: nowInSeconds() + off }), 400)
    for (const off of [-290, 290]) assert.equal(await deliver(body, { timestamp: nowInSeconds() + off }), 200)
    assert.equal(await deliver(body, { timestamp: Date.now() }), 400)
    const version7 = '0190163d-8694-739b-aea5-966c26f8ad91'
    for (const eventId of [version7, 'evt_1', '00000000-0000-0000-0000-000000000000'])
      assert.equal(await deliver(body, { eventId }), 400, eventId)
    assert.equal(await deliver(body, { eventId: randomUUID().toUpperCase() }), 200)
    for (const text of ['', '{"n":', "{'n':1}", '\u{feff}{}', 'NaN'])
      assert.equal(await deliver(text), 400, text)
    assert.equal(await deliver(Buffer.from([0x22, 0xff, 0x22])), 400)
    for (const name of ['Content-Type', 'Webhook-Timestamp', 'Webhook-Event-Id']) {
      const headers = hmacHeaders(secret, body)
      delete headers[name]
      assert.equal((await send('POST', url, headers, body)).status, 400, name)
    }
  },

  'A webhook has any JSON of at most 64 KB (4.2, 8.2)': async () => {
    const automation = await newAutomation({ hmac: {} })
    const bodies = ['null', 'true', '7', '-0.5e3', '"text"', '[1,[2]]', '{}', ' {"a" : [ ] }\n', '"\\u010c"']
    for (const body of bodies) assert.equal(await automation.deliver(body), 200, body)
    const values = await eventually(automation.recorded, ({ length }) => length === bodies.length)
    const asJson = (texts) => texts.map((text) => JSON.stringify(JSON.parse(text))).toSorted()
    assert.deepEqual(asJson(values), asJson(bodies))
    assert.equal(await automation.deliver(`"${'x'.repeat(65_534)}"`), 200)
    assert.equal(await automation.deliver(`"${'x'.repeat(65_535)}"`), 400)
    const { url, secret } = automation
    const typed = { ...hmacHeaders(secret, '{}'), 'Content-Type': 'application/json; charset=utf-8' }
    assert.equal((await send('POST', url, typed, '{}')).status, 200)
    const chunked = { ...hmacHeaders(secret, '{}'), 'Transfer-Encoding': 'chunked' }
    assert.equal((await send('POST', url, chunked, '{}')).status, 200)
  },

  'A JWT webhook is accepted with RS256, ES256 and EdDSA, once (5.2)': async ({ jwksUrl }) => {
    const automation = await newAutomation({ jwt: { jwksUrl } })
    const { url } = automation
    for (const alg of Object.keys(SIGNERS)) {
      const body = JSON.stringify({ alg })
      const headers = jwtHeaders(url, body, { alg })
      assert.equal((await send('POST', url, headers, body)).status, 200, alg)
      assert.equal((await send('POST', url, headers, body)).status, 409, alg)
    }
    const values = await eventually(automation.recorded, ({ length }) => length === 3)
    assert.deepEqual(values.map((value) => JSON.parse(value).alg).toSorted(), Object.keys(SIGNERS).toSorted())
  },

  'A JWT webhook with any wrong claim, key or algorithm is refused with 401 (5.2)': async ({ jwksUrl }) => {
    const automation = await newAutomation({ jwt: { jwksUrl } })
    const { url } = automation
    const body = '{"n":1}'
    const status = async (change) => (await send('POST', url, jwtHeaders(url, body, change), body)).status
    const wrong = {
      sub: [undefined, `${BASE_URL}/`, 'https://other.example'],
      aud: [undefined, BASE_URL, `${url}/`],
      exp: [undefined, nowInSeconds() - 5, nowInSeconds() + 660, `${nowInSeconds() + 300}`],
      jti: [undefined, randomUUID()],
      htm: [undefined, 'GET', 'PUT'],
      htb_s256: [undefined, base64url(createHash('sha256').update('{"n":2}').digest()), ''],
    }
    for (const [claim, values] of Object.entries(wrong))
      for (const value of values)
        assert.equal(await status({ claims: { [claim]: value } }), 401, `${claim}: ${value}`)
    for (const header of [
      { kid: undefined },
      { kid: 'of nobody' },
      { alg: 'none' },
      { alg: 'HS256' },
      { alg: 'RS256' },
    ])
      assert.equal(await status({ header }), 401, JSON.stringify(header))
    const [generate] = SIGNERS.ES256
    assert.equal(await status({ key: { ...generate(), kid: KEYS.ES256.kid } }), 401)
    const { Authorization: _, ...without } = jwtHeaders(url, body)
    assert.equal((await send('POST', url, without, body)).status, 401)
    assert.equal(await status({}), 200)
    assert.equal((await eventually(automation.recorded, ({ length }) => length > 0)).length, 1)
  },

  'A source outside the allowed networks is refused with 403 (4.2, rule 5)': async () => {
    const outside = await newAutomation({ hmac: {}, allowedCidrs: ['192.0.2.0/24', '2001:db8::/32'] })
    assert.equal(await outside.deliver('{}'), 403)
    const inside = await newAutomation({ hmac: {}, allowedCidrs: ['192.0.2.0/24', '127.0.0.0/8'] })
    assert.equal(await inside.deliver('{}'), 200)
  },

  'An automation runs only when published and enabled (4.2, rule 3)': async () => {
    const draft = await newAutomation({ hmac: {} }, { publish: false })
    assert.notEqual(await draft.deliver('"too early"'), 200)
    await draft.publish()
    assert.equal(await draft.deliver('"published"'), 200)
    const disabled = await newAutomation({ hmac: {} }, { enabled: false })
    assert.notEqual(await disabled.deliver('"disabled"'), 200)
    const values = await eventually(draft.recorded, ({ length }) => length > 0)
    assert.deepEqual(values, ['"published"'])
    assert.deepEqual(await disabled.recorded(), [])
  },

  'A webhook skips the step of the task that it names (1)': async () => {
    const task = await newTask(2)
    const steps = [{ type: 'skip_step', taskIdCel: 'ctx.trigger.task' }]
    const { deliver } = await newAutomation({ hmac: {} }, { steps })
    assert.equal(await deliver(JSON.stringify({ task: task.id })), 200)
    const read = async () => (await get(`/api/v1/tasks/${task.id}`)).taskView.task
    const moved = await eventually(read, ({ policy }) => policy.history.length > 0)
    assert.deepEqual(ids(moved.policy.history), [task.policy.current.id])
  },

  'A form comes as proto-JSON, without default values (2.8)': async () => {
    const form = {
      displayName: 'Access',
      fields: [
        {
          name: 'why',
          required: true,
          stringField: { placeholder: 'because', textField: {} },
          userConfig: {},
        },
        { name: 'until', int64Field: { defaultValue: '9007199254740993', numberField: {} }, adminConfig: {} },
        { name: 'really', boolField: { checkboxField: {} }, sharedConfig: { lockDefaultValues: true } },
        { name: 'where', stringSliceField: { defaultValues: ['here'], chipsField: {} }, userConfig: {} },
        { name: 'tags', stringMapField: { defaultValue: { a: 'b' } }, userConfig: {} },
        { name: 'proof', fileField: { maxFileSize: '10', fileInputField: {} }, userConfig: {} },
        { name: 'login', oauth2Field: { oauth2FieldView: {} }, userConfig: {} },
      ],
      fieldGroups: [{ name: 'all', fields: ['why', 'until'] }],
      fieldRelationships: [
        { fieldNames: ['why', 'until'], requiredTogether: {} },
        { fieldNames: ['where'], dependentOn: { dependencyFieldNames: ['why'] } },
      ],
    }
    const shown = (await newTask(1, { form })).form
    assert.deepEqual([shown.id, shown.description, shown.displayName], ['', '', 'Access'])
    const [why, until, really] = shown.fields
    assert.deepEqual([why.required, why.readOnly, why.description], [true, false, ''])
    assert.deepEqual([why.stringField.defaultValue, why.stringField.placeholder], ['', 'because'])
    assert.equal(until.int64Field.defaultValue, '9007199254740993')
    assert.deepEqual([really.boolField.defaultValue, until.adminConfig.showToUser], [false, false])
    for (const field of shown.fields) checkOneOf(field, ['userConfig', 'adminConfig', 'sharedConfig'])
    const [{ requiredTogether, atLeastOne }] = shown.fieldRelationships
    assert.deepEqual([requiredTogether, atLeastOne ?? null], [{}, null])
    const { taskView } = await get(`/api/v1/tasks/${(await newTask(1, { form: shown })).id}`)
    assert.deepEqual(taskView.task.form, shown)
  },

  'Annotations are patched: absent keys stay, an empty value deletes (2.9, 8.2)': async () => {
    const policySteps = { grant: { steps: [{ wait: {} }] } }
    const full = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`key${n}`, `${n}`]))
    const annotations = { ...full, managed_by: 'terraform' }
    const policy = await newPolicy('POLICY_TYPE_GRANT', { policySteps, annotations })
    checkFields(policy, POLICY)
    const path = `/api/v1/policies/${policy.id}`
    await refused('PATCH', path, { annotations: { another: 'x' } })
    const changes = { key0: '', key1: 'v'.repeat(256), ['k'.repeat(128)]: 'x', absent: '' }
    const { policy: patched } = await ask('PATCH', path, { annotations: changes })
    const { key0: _, ...kept } = annotations
    assert.deepEqual(patched.annotations, { ...kept, key1: 'v'.repeat(256), ['k'.repeat(128)]: 'x' })
    for (const wrong of [{ 'c1/mine': 'x' }, { key2: 'v'.repeat(257) }, { key2: 'č' }, { '': 'x' }])
      await refused('PATCH', path, { annotations: { ...wrong, key3: '' } })
    await refused('PATCH', path, { annotations: { key2: '', key3: '', ['k'.repeat(129)]: 'x' } })
    assert.deepEqual((await get(path)).policy.annotations, patched.annotations)
    assert.equal((await ask('PATCH', path, { displayName: 'renamed' })).policy.displayName, 'renamed')
    const { list } = await get('/api/v1/policies?page_size=100')
    const builtin = list.find(({ policy: each }) => each.systemBuiltin)
    await refused('PATCH', `/api/v1/policies/${builtin.policy.id}`, { displayName: 'mine' })
  },

  'The first rule that matches selects the steps, otherwise the baseline (2.9)': async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    const { id: policyId } = await newPolicy('POLICY_TYPE_GRANT', {
      policySteps: {
        grant: { steps: [{ wait: {} }] },
        [first]: { steps: [{ approval: {} }] },
        [second]: { steps: [{ provision: {} }] },
      },
      rules: [
        { condition: 'ctx.task.description.startsWith("urgent")', policyKey: first },
        { condition: 'ctx.task.description.contains("urgent")', policyKey: second },
      ],
    })
    const chosen = async (description) => {
      const { policy } = await newTask(1, { policyId, description })
      return STEP_KINDS.find((kind) => policy.current[kind] !== null)
    }
    const kinds = [await chosen('urgent'), await chosen('not urgent'), await chosen('whenever')]
    assert.deepEqual(kinds, ['approval', 'provision', 'wait'])
  },

  'A chain of baselines is at most 5 deep, of one type, and no circle (2.9, 8.2)': async () => {
    const policySteps = { grant: { steps: [{ wait: {} }] } }
    const chain = [await newPolicy('POLICY_TYPE_GRANT', { policySteps })]
    const deferring = (target) => ({
      displayName: 'deferring',
      policyType: 'POLICY_TYPE_GRANT',
      baselinePolicyId: target.id,
    })
    for (let depth = 1; depth <= 5; depth += 1) {
      const { policy } = await post('/api/v1/policies', deferring(chain.at(-1)))
      assert.equal(policy.baselinePolicyId, chain.at(-1).id)
      chain.push(policy)
    }
    const [end, last] = [chain[0], chain[5]]
    await refused('POST', '/api/v1/policies', deferring(last))
    const below = await newPolicy('POLICY_TYPE_GRANT', { policySteps })
    await refused('PATCH', `/api/v1/policies/${end.id}`, { baselinePolicyId: below.id, policySteps: {} })
    await refused('POST', '/api/v1/policies', { ...deferring(end), policyType: 'POLICY_TYPE_REVOKE' })
    await refused('POST', '/api/v1/policies', { ...deferring(end), policySteps })
    for (const target of [last, chain[1], end])
      await refused('PATCH', `/api/v1/policies/${chain[1].id}`, {
        baselinePolicyId: target === end ? chain[1].id : target.id,
      })
    const [deferred, direct] = [
      await newTask(1, { policyId: last.id }),
      await newTask(1, { policyId: end.id }),
    ]
    assert.notEqual(deferred.policy.current.wait, null)
    assert.equal(deferred.policy.current.policyGenerationId, direct.policyGenerationId)
    assert.notEqual(deferred.policyGenerationId, direct.policyGenerationId)
  },
}

const { url: jwksUrl, server } = await hostKeys()
for (const [title, shape] of Object.entries(SHAPES)) {
  try {
    const note = await shape({ jwksUrl })
    console.log(`ok    ${title}${note ? `: ${note}` : ''}`)
  } catch (error) {
    process.exitCode = 1
    console.log(`FAIL  ${title}: ${error.message.replaceAll(/\s+/g, ' ').slice(0, 600)}`)
  }
}
server.close()
server.closeAllConnections()
