// Follows two deliveries through the source: which functions they enter, file by file, and how often they go back to a file
// that they have been in.
import { createHmac } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import { transformSync } from 'rolldown/experimental'
import { parseAst } from 'rolldown/parseAst'

const HELP = `Usage: node tools/walk.mjs [--list]      (after npm ci)

Follows an accepted Stripe delivery in Express 5 and a refused GitHub delivery in Hono. Prints how many functions they
enter (entries), how many of these are functions inside of others (closures), in how many files, how often the way moves to
another file, and how often that is one it has been in (returns).

  --list   print each function in turn
  --help   print this text`

const flag = { type: 'boolean' }
const { values } = parseArgs({ options: { list: flag, help: flag } })
if (values.help) {
  console.log(HELP)
  process.exit()
}

const root = fileURLToPath(new URL('..', import.meta.url))
const out = mkdtempSync(join(tmpdir(), 'hookgate-walk-'))
process.on('exit', () => rmSync(out, { recursive: true, force: true }))

for (const folder of ['src', 'adapters']) {
  for (const path of readdirSync(join(root, folder), { recursive: true })) {
    if (path.endsWith('.ts')) writeMarked(`${folder}/${path}`)
  }
}
// `#crypto` and packages resolve as in the package.
const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'), (_, value) =>
  typeof value === 'string' ? value.replace('./dist/', './') : value,
)
writeFileSync(join(out, 'package.json'), JSON.stringify({ type: 'module', imports }))
symlinkSync(join(root, 'node_modules'), join(out, 'node_modules'))

/** Writes a source without its types, and with a mark at the beginning of each function. */
function writeMarked(path) {
  const { code } = transformSync(path, readFileSync(join(root, path), 'utf8'), { target: 'es2022' })
  let marked = ''
  let last = 0
  for (const [at, text] of marksIn(code, path)) {
    marked += code.slice(last, at) + text
    last = at
  }
  marked = (marked + code.slice(last)).replace(/((?:from\s+|import\()["']\.[^"']+)\.ts(["'])/g, '$1.js$2')
  const target = join(out, path.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, marked)
}

/** What to insert, and where, in order. A name that ends in `>` is that of a function inside of another. */
function marksIn(code, path) {
  const marks = []
  visit(parseAst(code), undefined, undefined)
  return marks.sort(([at, , order = 0], [other, , otherOrder = 0]) => at - other || order - otherOrder)

  function visit(node, hint, owner) {
    if (typeof node?.type !== 'string') return
    const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)
    if (isFunction && node.body) mark(node, hint, owner)
    for (const [key, child] of Object.entries(node)) {
      if (key === 'type') continue
      const name = isFunction ? `${node.id?.name ?? hint ?? ''}>` : nameOf(node)
      const within = node.type === 'ClassDeclaration' ? node : owner
      const inherited = name ?? (hint?.endsWith('>') ? hint : undefined)
      for (const each of Array.isArray(child) ? child : [child]) visit(each, inherited, within)
    }
  }

  function mark({ id, body }, hint, owner) {
    const enter = `globalThis.enter(${JSON.stringify(`${path}:${id?.name ?? hint ?? '(anonymous)'}`)})`
    if (body.type !== 'BlockStatement') marks.push([body.start, `(${enter},(`, 1], [body.end, '))', -1])
    else if (hint !== 'constructor' || !owner?.superClass) marks.push([body.start + 1, `${enter};`])
  }
}

/** The name that a variable or a member gives to the function that it is. */
function nameOf({ type, id, key }) {
  if (type === 'VariableDeclarator') return id.name
  if (!['Property', 'MethodDefinition', 'PropertyDefinition'].includes(type)) return undefined
  return (key.type === 'PrivateIdentifier' ? '#' : '') + (key.name ?? key.value)
}

let entered
globalThis.enter = (name) => entered?.push(name)
const load = (path) => import(pathToFileURL(join(out, path)).href)
const { defineListener } = await load('src/index.js')
const onExpress = await load('adapters/express.js')
const onHono = await load('adapters/hono.js')
const { stripe } = await load('src/schemes/stripe.js')
const { github } = await load('src/schemes/github.js')
const { memoryStore } = await load('src/stores/memory.js')
const SECRET = 'whsec_0123456789abcdef0123'

const stripeApp = express().post(
  '/',
  onExpress.verifyWebhook(
    defineListener({
      id: 'stripe',
      auth: stripe({ secrets: SECRET }),
      store: memoryStore(),
      onVerdict: null,
      onError: null,
    }),
  ),
  (_request, response) => response.status(200).end('ok'),
)
await walk('accepted Stripe, Express', stripeApp, ['evt_0', 'evt_1'].map(stripeRequest))

const githubApp = new Hono().post(
  '/',
  onHono.verifyWebhook(
    defineListener({
      id: 'github',
      auth: github({ secrets: SECRET }),
      store: memoryStore(),
      onVerdict() {},
      onError: null,
    }),
  ),
  (context) => context.text('ok'),
)
await walk('refused GitHub, Hono with onVerdict', getRequestListener(githubApp.fetch), [
  githubRequest(),
  githubRequest(),
])

function stripeRequest(id) {
  const body = JSON.stringify({ id, type: 'invoice.paid' })
  const time = Math.floor(Date.now() / 1000)
  const digest = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')
  return {
    body,
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${digest}` },
  }
}

function githubRequest() {
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': 'd1',
    'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
  }
  return { body: '{"zen":1}', headers }
}

/** Sends the requests in turn, and follows the last one: the first of a process does more. */
async function walk(name, app, requests) {
  const server = createServer(app).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${server.address().port}/`
  let status
  for (const request of requests) {
    entered = []
    status = (await fetch(url, { method: 'POST', ...request })).status
    await wait(50) // the commit follows the response
  }
  show(`${name} (${status})`, entered)
  entered = undefined
  server.closeAllConnections()
  server.close()
}

function show(name, names) {
  const files = names.map((each) => each.split(':')[0])
  const moves = files
    .map((file, index) => ({ file, index }))
    .filter(({ file, index }) => index > 0 && file !== files[index - 1])
  const returns = moves.filter(({ file, index }) => files.indexOf(file) < index)
  const closures = names.filter((each) => each.includes('>'))
  console.log(
    `${name}: entries ${names.length}, closures ${closures.length}, files ${new Set(files).size}, moves ${moves.length}, returns ${returns.length}`,
  )
  if (!values.list) return
  for (const [index, each] of names.entries()) if (each !== names[index - 1]) console.log(`  ${each}`)
}
