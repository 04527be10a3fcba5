// The CPU time that a stranger's delivery takes before its sender is known: all senders' schemes × hostile bodies and headers.
// `node hostile.mjs --check` exits with 1 if a scheme takes over 5 ms at its own limits, or over 1 ms at a stretch at 8 MB.
// Names of schemes as arguments measure only these.
import nodeCrypto from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { HOSTILE_BODIES, HOSTILE_HEADERS, mediaTypeOf } from './hostile-bodies.mjs'

/** The CPU time, in milliseconds, of hashes and key operations since the last `takeOperations`. */
let operations = 0
/** How many of them run on other threads now. */
let elsewhere = 0

const cpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function timed(original) {
  return function (...given) {
    const before = cpu()
    const callback = given.at(-1)
    if (typeof callback === 'function') {
      elsewhere += 1
      given[given.length - 1] = (...answer) => {
        elsewhere -= 1
        callback(...answer)
      }
    }
    try {
      const result = Reflect.apply(original, this, given)
      if (typeof result?.then !== 'function') return result
      elsewhere += 1
      return result.finally(() => {
        elsewhere -= 1
      })
    } finally {
      operations += cpu() - before
    }
  }
}

for (const name of ['hash', 'verify']) nodeCrypto[name] = timed(nodeCrypto[name])
for (const name of ['digest', 'sign', 'verify', 'importKey']) crypto.subtle[name] = timed(crypto.subtle[name])
for (const name of ['createHash', 'createHmac', 'createVerify']) {
  const create = nodeCrypto[name]
  nodeCrypto[name] = (...given) => {
    const made = create(...given)
    for (const method of ['update', 'digest', 'verify']) {
      if (method in made) made[method] = timed(made[method])
    }
    return made
  }
}
syncBuiltinESMExports()

// After the functions of cryptography have been wrapped.
const { defineListener, verify } = await import('hookgate')
const { memoryStore } = await import('hookgate/stores/memory')

const SCHEMES = new URL('../dist/src/schemes/', import.meta.url)
const VECTORS = new URL('../test/vectors/schemes/', import.meta.url)
const RUNS = 9
/** How often each delivery is tried to find the dearest, which then take the other runs. */
const TRIES = 1
const DEAREST = 2
/** The size of a body that is only hashed, in bytes. */
const MOST_BYTES = 1_048_576
const RAISED_BYTES = 8_388_608
/** Of a header, in bytes. Node takes 16 KB of headers in all. */
const HEADER_BYTES = 15_000
const MOST_MILLISECONDS = 5
const LONGEST_STRETCH = 1

/**
 * The dearest deliveries of each scheme, without the time of the hashes and key operations: at the scheme's own limits, and the
 * longest stretch without a turn of the event loop at 8 MB. Each delivery has the headers of a genuine one, and a wrong signature.
 */
export async function measure({ progress, only = [] }) {
  const names = readdirSync(SCHEMES)
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.slice(0, -3))
    .filter((name) => only.length === 0 || only.includes(name))
  const rows = []
  for (const name of names) {
    progress(name)
    rows.push(await dearest(JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8'))))
  }
  return rows.sort((left, right) => right.milliseconds - left.milliseconds)
}

async function dearest(vectors) {
  const own = await receiver(vectors)
  const raised = await receiver(vectors, RAISED_BYTES)
  const size = Math.min(own.listener.maxBodyBytes, MOST_BYTES)
  const atOwn = await worstOf(casesOf(own, size), own.listener, 'total')
  const atRaised = await worstOf(casesOf(raised, RAISED_BYTES), raised.listener, 'stretch')
  return {
    scheme: own.listener.protocol.scheme.name,
    size,
    kind: atOwn.kind,
    reason: atOwn.reason,
    milliseconds: atOwn.total,
    signature: atOwn.signature,
    raisedKind: atRaised.kind,
    stretch: atRaised.stretch,
  }
}

async function receiver({ scheme, options, now, fetches, cases }, maxBodyBytes) {
  const name = scheme.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  const { [name]: factory } = await import(`hookgate/schemes/${scheme}`)
  const genuine = cases.find((each) => each.expect.ok && each.options === undefined)
  const clock = { now: () => now * 1000 }
  const auth = factory({ ...options, ...(fetches && answersOf(scheme, fetches)) })
  const store = memoryStore({ clock, maxRecords: 10 })
  return { listener: defineListener({ id: scheme, auth, store, clock, maxBodyBytes }), genuine }
}

/** The hosts' answers, as the vectors have them. */
function answersOf(scheme, fetches) {
  if (scheme === 'plaid') return { findKey: async (id) => Object(Object.values(fetches)[0])[id]?.body.key }
  return {
    async fetch(url) {
      const { status, body } = fetches[url] ?? fetches['*'] ?? { status: 404, body: '' }
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
    },
  }
}

const bodies = new Map()

/** Made once: the same for every scheme. */
function bodyOf(kind, size) {
  const name = `${kind} ${size}`
  const body = bodies.get(name) ?? Buffer.from(HOSTILE_BODIES[kind](size))
  bodies.set(name, body)
  return body
}

/** What strangers send, made one after the other: 8 MB of each kind would take a gigabyte. */
function* casesOf({ listener, genuine }, size) {
  const { signature } = listener.protocol.scheme
  for (const kind of Object.keys(HOSTILE_BODIES)) {
    const sent = () => ({ body: bodyOf(kind, size), mediaType: mediaTypeOf(kind) })
    yield [kind, () => deliveryOf(listener, genuine, sent())]
  }
  const isRead = signature.headers.length === 0 || ['twilio', 'mercado-pago', 'graph'].includes(listener.id)
  if (isRead) {
    for (const [kind, text] of grown(genuine.body ?? '', size)) {
      yield [kind, () => deliveryOf(listener, genuine, { body: text })]
    }
  }
  if (size === RAISED_BYTES) return // headers cost the same whatever the limit of the body is
  const names = new Set([...signature.headers, 'authorization'])
  for (const [kind, write] of Object.entries(HOSTILE_HEADERS)) {
    for (const name of names) {
      yield [`${name}: ${kind}`, () => deliveryOf(listener, genuine, { header: [name, write(HEADER_BYTES)] })]
    }
    const query = write(HEADER_BYTES / 2)
    yield [`query: ${kind}`, () => deliveryOf(listener, genuine, { query })]
  }
}

function deliveryOf(listener, { method, requestUrl, url = requestUrl, headers, body }, changed) {
  const { scheme, options, readerFor } = listener.protocol
  const { pathname } = new URL(url ?? options.publicUrl ?? '/', 'https://example.com')
  const known = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const [signed] = scheme.signature.headers
  if (known.has(signed)) known.set(signed, altered(known.get(signed)))
  const { mediaType } = changed
  if (mediaType && readerFor(mediaType.split(';')[0])) known.set('content-type', mediaType)
  if (changed.header) known.set(...changed.header)
  const isSigned = scheme.signature.query !== undefined && url !== undefined
  const sentUrl = changed.query !== undefined ? `${pathname}?${changed.query}` : isSigned ? altered(url) : url
  return {
    method,
    url: sentUrl,
    header: (name) => known.get(name),
    body: Buffer.from(changed.body ?? body ?? ''),
    sourceIp: undefined,
  }
}

async function worstOf(cases, listener, by) {
  const tried = []
  for (const [kind, make] of cases) {
    const spent = await leastOf(TRIES, make(), listener)
    if (spent) tried.push({ kind, make, ...spent })
  }
  tried.sort((left, right) => right[by] - left[by])
  const again = []
  for (const { kind, make } of tried.slice(0, DEAREST)) {
    again.push({ kind, ...(await leastOf(RUNS, make(), listener)) })
  }
  return (
    again.sort((left, right) => right[by] - left[by])[0] ?? {
      kind: 'none',
      total: 0,
      stretch: 0,
      signature: 0,
    }
  )
}

/** The shortest of several runs: other work on the machine only makes them longer. Undefined if the headers alone are refused. */
async function leastOf(runs, delivery, listener) {
  const least = { total: Infinity, stretch: Infinity, signature: Infinity, reason: '' }
  for (let index = 0; index < runs; index += 1) {
    const spent = await spentOn(delivery, listener)
    if (spent.status !== 401) return undefined
    least.reason = spent.reason
    for (const name of ['total', 'stretch', 'signature']) least[name] = Math.min(least[name], spent[name])
  }
  return least
}

/** Other refusals than a 401 come before the body is read, or after the sender is known. */
async function spentOn(delivery, listener) {
  await turn()
  let verdict
  let [total, stretch, signature] = [0, 0, 0]
  let wasElsewhere = false
  operations = 0
  let before = cpu()
  const done = verify(delivery, listener).then((given) => {
    verdict = given
  })
  do {
    await turn()
    const spent = Math.max(0, cpu() - before - operations)
    signature += operations
    // While another thread computes, this one waits, and the time is that thread's.
    if (!wasElsewhere) {
      total += spent
      stretch = Math.max(stretch, spent)
    }
    wasElsewhere = elsewhere > 0
    operations = 0
    before = cpu()
  } while (verdict === undefined)
  await done
  return { total, stretch, signature, status: verdict.status, reason: verdict.reason }
}

/** The same form of signature or token, but another. */
function altered(text) {
  const at = text.length - 6
  return text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)
}

/** The sender's own body, with one of its values grown to the largest size. Gets further than bodies without a signature. */
function* grown(text, size) {
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|=[^&]/g)].filter(([, colon]) => !colon)
  const room = size - Buffer.byteLength(text)
  for (const { index } of values) {
    const name = text.slice(0, index).match(/(\w+)\W*$/)?.[1]
    const before = text.slice(0, index + 1)
    const after = text.slice(index + 1)
    for (const filler of ['a', 'é', '\\n', '+', '%41']) {
      const count = Math.floor(room / Buffer.byteLength(filler))
      yield [`its own, with a long ${name} of ${filler}`, before + filler.repeat(count) + after]
    }
    // A character that makes engines store the whole string in two bytes per character.
    yield [`its own, with a euro sign in a long ${name}`, `${before}\u20ac${'a'.repeat(room - 3)}${after}`]
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { tables } = await import('./tables.mjs')
  const only = process.argv.slice(2).filter((each) => !each.startsWith('-'))
  const rows = await measure({ progress: (name) => process.stderr.write(`${name} `), only })
  console.log(tables.hostile(rows))
  const isOver = ({ milliseconds, stretch }) => milliseconds > MOST_MILLISECONDS || stretch > LONGEST_STRETCH
  if (process.argv.includes('--check') && rows.some(isOver)) process.exitCode = 1
}
