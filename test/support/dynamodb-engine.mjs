// A process with a DynamoDB: dynalite on a folder, and in front of it what AWS does and dynalite does not.
//   node dynamodb-engine.mjs FOLDER PORT FRONT_PORT      (0: any free port)
// The front adds the record that stood in the way to a failed condition (ALL_OLD), knows time to live, and can be told
// behave otherwise: { refuse: 'ThrottlingException' } (null: no longer), { aheadMs: 60_000 } (of the date it answers with).
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import dynalite from 'dynalite'

const [, , folder = '', port = '0', frontPort = '0'] = process.argv
const TYPE = 'com.amazonaws.dynamodb.v20120810#'
const engine = dynalite({ path: folder, createTableMs: 20 })
// On a busy machine a connection may idle for longer than the usual 5 s, and close while a request is on its way.
const IDLE_MS = 600_000
engine.keepAliveTimeout = IDLE_MS
engine.listen(Number(port), '127.0.0.1')
await once(engine, 'listening')
const enginePort = engine.address().port

/** @type {Map<string, object>} */
const timeToLive = new Map()
let trouble = { refuse: null, aheadMs: 0 }

/** One request to dynalite. */
async function ask(target, headers, body) {
  const { host: _, 'content-length': __, ...rest } = headers
  const own = {
    ...rest,
    'x-amz-target': `DynamoDB_20120810.${target}`,
    'content-length': Buffer.byteLength(body),
  }
  const request = httpRequest({ port: enginePort, host: '127.0.0.1', method: 'POST', headers: own })
  request.end(body)
  const [response] = await once(request, 'response')
  return { status: response.statusCode, body: (await buffer(response)).toString() }
}

const reply = (status, value) => ({ status, body: JSON.stringify(value) })
const error = (name, message) => reply(400, { __type: TYPE + name, message })

/** The writes of one key, one after the other, so that the record added to a refusal is the one that caused it. */
const turns = new Map()
function inTurn(key, work) {
  const turn = (turns.get(key) ?? Promise.resolve()).then(work, work)
  turns.set(key, turn)
  const leave = () => {
    if (turns.get(key) === turn) turns.delete(key)
  }
  turn.then(leave, leave)
  return turn
}

async function write(target, headers, text) {
  const input = JSON.parse(text)
  const { event_key: eventKey } = input.Item ?? input.Key
  return inTurn(JSON.stringify(eventKey), async () => {
    const answer = await ask(target, headers, text)
    if (!answer.body.includes('ConditionalCheckFailedException')) return answer
    const query = { TableName: input.TableName, Key: { event_key: eventKey }, ConsistentRead: true }
    const { Item } = JSON.parse((await ask('GetItem', headers, JSON.stringify(query))).body)
    return Item ? reply(400, { ...JSON.parse(answer.body), Item }) : answer
  })
}

function describeTimeToLive({ TableName }) {
  const attribute = timeToLive.get(TableName)
  const on = { TimeToLiveStatus: 'ENABLED', AttributeName: attribute }
  return reply(200, { TimeToLiveDescription: attribute ? on : { TimeToLiveStatus: 'DISABLED' } })
}

function updateTimeToLive({ TableName, TimeToLiveSpecification }) {
  if (timeToLive.has(TableName)) return error('ValidationException', 'TimeToLive is already enabled')
  timeToLive.set(TableName, TimeToLiveSpecification.AttributeName)
  return reply(200, { TimeToLiveSpecification })
}

async function answerTo(target, headers, text) {
  if (trouble.refuse !== null) return error(trouble.refuse, 'told to refuse')
  if (target === 'DescribeTimeToLive') return describeTimeToLive(JSON.parse(text))
  if (target === 'UpdateTimeToLive') return updateTimeToLive(JSON.parse(text))
  const isWrite = text.includes('"ALL_OLD"') && ['PutItem', 'DeleteItem'].includes(target)
  return isWrite ? write(target, headers, text) : ask(target, headers, text)
}

const front = createServer(async (request, response) => {
  const text = (await buffer(request)).toString()
  const target = String(request.headers['x-amz-target']).split('.')[1]
  const failed = () => error('InternalServerError', 'dynalite did not answer')
  const { status, body } = await answerTo(target, request.headers, text).catch(failed)
  const date = new Date(Date.now() + trouble.aheadMs).toUTCString()
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', date }).end(body)
})
front.keepAliveTimeout = IDLE_MS
front.listen(Number(frontPort), '127.0.0.1')
await once(front, 'listening')

process.on('message', (change) => {
  trouble = { ...trouble, ...change }
  process.send(trouble)
})
process.once('disconnect', () => process.exit())
const ports = { port: enginePort, frontPort: front.address().port }
if (process.send) process.send(ports)
else console.log(JSON.stringify(ports))
