// The CPU time that reading a stranger's body takes before its sender is known: all senders' schemes × hostile bodies.
// `node hostile.mjs --check` exits with 1 if a scheme takes over 5 ms.
import nodeCrypto from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { HOSTILE_BODIES, mediaTypeOf } from './hostile-bodies.mjs'

/** The hashes and key operations of a run, so that they can be repeated alone. */
let operations

function wrap(owner, name) {
  const original = owner[name]
  owner[name] = function (...given) {
    operations?.push(() => repeat(original, this, given))
    return Reflect.apply(original, this, given)
  }
}

/** Waits for a result that goes to a callback. */
function repeat(original, owner, given) {
  if (typeof given.at(-1) !== 'function') return Reflect.apply(original, owner, given)
  return new Promise((resolve) => Reflect.apply(original, owner, [...given.slice(0, -1), resolve]))
}

wrap(nodeCrypto, 'hash')
wrap(nodeCrypto, 'verify')
for (const name of ['digest', 'sign', 'verify']) wrap(crypto.subtle, name)

for (const name of ['createHash', 'createHmac']) {
  const create = nodeCrypto[name]
  nodeCrypto[name] = (...given) => {
    const hash = create(...given)
    if (operations === undefined) return hash
    const { update, digest } = hash
    const parts = []
    hash.update = (...part) => {
      parts.push(part)
      return Reflect.apply(update, hash, part)
    }
    hash.digest = (spelling) => {
      operations?.push(() =>
        parts.reduce((same, part) => same.update(...part), create(...given)).digest(spelling),
      )
      return Reflect.apply(digest, hash, [spelling])
    }
    return hash
  }
}
syncBuiltinESMExports()

// After the functions of cryptography have been wrapped.
const { defineListener, verify } = await import('hookgate')
const { memoryStore } = await import('hookgate/stores/memory')

const VECTORS = new URL('../test/vectors/schemes/', import.meta.url)
const RUNS = 7
const WARM_UP = 10
/** The size of a body that is only hashed, in bytes. */
const MOST_BYTES = 1_048_576
const MOST_MILLISECONDS = 5

/**
 * The most expensive body of each scheme. Each delivery has the headers of a genuine one, and a wrong signature. What the signature
 * itself costs is subtracted: the time of its hashes and key operations, repeated alone.
 */
export async function measure({ progress }) {
  const rows = []
  for (const file of readdirSync(VECTORS)) {
    if (file === 'handshakes.json') continue
    const vectors = JSON.parse(readFileSync(new URL(file, VECTORS), 'utf8'))
    progress(vectors.scheme)
    rows.push(await dearest(vectors))
  }
  return rows.sort((left, right) => right.milliseconds - left.milliseconds)
}

async function dearest(vectors) {
  const { listener, genuine } = await receiver(vectors)
  const { scheme } = listener.protocol
  const size = Math.min(listener.maxBodyBytes, MOST_BYTES)
  const bodies = Object.entries(HOSTILE_BODIES).map(([kind, write]) => [kind, write(size), mediaTypeOf(kind)])
  if (scheme.signature.member !== undefined || scheme.name === 'twilio') {
    bodies.push(...grown(genuine.body, size))
  }
  let worst = { milliseconds: -Infinity }
  for (const [kind, text, mediaType] of bodies) {
    const body = Buffer.from(text)
    if (body.length > size) throw new Error(`${kind} is ${body.length} bytes long`)
    const spent = await spentOn(listener, deliveryOf(listener, genuine, body, mediaType))
    if (spent.milliseconds > worst.milliseconds) worst = { kind, ...spent }
  }
  return { scheme: scheme.name, size, ...worst }
}

async function receiver({ scheme, options, now, fetches, cases }) {
  const name = scheme.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  const { [name]: factory } = await import(`hookgate/schemes/${scheme}`)
  const genuine = cases.find((each) => each.expect.ok && each.options === undefined)
  const clock = { now: () => now * 1000 }
  const auth = factory({ ...options, ...(fetches && answersOf(scheme, fetches)) })
  const store = memoryStore({ clock, maxRecords: 10 })
  return { listener: defineListener({ id: scheme, auth, store, clock }), genuine }
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

function deliveryOf(listener, { method, url, headers }, body, mediaType) {
  const { scheme, readerFor } = listener.protocol
  const known = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const [signed] = scheme.signature.headers
  if (known.has(signed)) known.set(signed, altered(known.get(signed)))
  if (mediaType && readerFor(mediaType.split(';')[0])) known.set('content-type', mediaType)
  return { method, url, header: (name) => known.get(name), body, sourceIp: undefined }
}

/** Nothing but a 401 counts. Other refusals come before the body is read, or after the sender is known. */
async function spentOn(listener, delivery) {
  let verdict
  const milliseconds = await medianCpu(async () => {
    verdict = await verify(delivery, listener)
  })
  const { reason, status } = verdict
  if (status !== 401) return { milliseconds: -Infinity }
  await turn()
  const operations = await recorded(() => verify(delivery, listener))
  const signature = await medianCpu(async () => {
    for (const operation of operations) await operation()
  })
  return { reason, signature, milliseconds: Math.max(0, milliseconds - signature) }
}

/** The operations of a run, each as a function that repeats it. */
async function recorded(run) {
  operations = []
  await run()
  const found = operations
  operations = undefined
  return found
}

async function medianCpu(run) {
  const spent = []
  for (let index = 0; index < WARM_UP + RUNS; index += 1) {
    await turn() // each delivery has a turn of the event loop of its own, and is then verified inline
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    spent.push((user + system) / 1000)
  }
  return spent.slice(WARM_UP).sort((left, right) => left - right)[RUNS >> 1]
}

/** The same form of signature or token, but another. */
function altered(text) {
  const at = text.length - 6
  return text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)
}

/** The sender's own body, with one of its values grown to the largest size. Gets further than bodies without a signature. */
function grown(text, size) {
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|=[^&]/g)].filter(([, colon]) => !colon)
  return ['a', 'é', '\\n', '+', '%41']
    .flatMap((filler) =>
      values.map(({ index }) => {
        const count = Math.floor((size - Buffer.byteLength(text)) / Buffer.byteLength(filler))
        const name = text.slice(0, index).match(/(\w+)\W*$/)?.[1]
        return [
          `its own, with a long ${name}`,
          text.slice(0, index + 1) + filler.repeat(count) + text.slice(index + 1),
        ]
      }),
    )
    .concat(
      // A character that makes engines store the whole string in two bytes per character.
      values.map(({ index }) => [
        `its own, with a euro sign in a long ${text.slice(0, index).match(/(\w+)\W*$/)?.[1]}`,
        `${text.slice(0, index + 1)}\u20ac${'a'.repeat(size - Buffer.byteLength(text) - 3)}${text.slice(index + 1)}`,
      ]),
    )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { tables } = await import('./tables.mjs')
  const rows = await measure({ progress: () => {} })
  console.log(tables.hostile(rows))
  const over = rows.filter(({ milliseconds }) => milliseconds > MOST_MILLISECONDS)
  if (process.argv.includes('--check') && over.length > 0) process.exitCode = 1
}
