// The longest time for which a large body with a wrong signature keeps everything else from running.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { defineListener, verify } from 'hookgate'
import { discord } from 'hookgate/schemes/discord'
import { github } from 'hookgate/schemes/github'
import { intercom } from 'hookgate/schemes/intercom'
import { paystack } from 'hookgate/schemes/paystack'
import { sendgrid } from 'hookgate/schemes/sendgrid'
import { memoryStore } from 'hookgate/stores/memory'

const MB = 1_048_576
const KB = 1024
/** A round takes seconds. */
const MOST_ROUNDS = 9
const seconds = `${Math.floor(Date.now() / 1000)}`

const secretsOf = (count) => Array.from({ length: count }, (_, index) => `nobody-guesses-this-${index}`)

/** An HMAC with so many secrets. `update` is all of it at once, as one would write it by hand. */
function hmacSubject(name, auth, hash, size, count, headers) {
  const secrets = secretsOf(count)
  const update = (body) => {
    for (const secret of secrets) createHmac(hash, secret).update(body).digest()
  }
  return { name, size, count, auth: auth({ secrets }), headers, update }
}

function discordSubject() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const headers = {
    'x-signature-ed25519': sign(null, Buffer.from('something else'), privateKey).toString('hex'),
    'x-signature-timestamp': seconds,
  }
  return {
    name: 'Discord, Ed25519',
    size: 25 * MB,
    count: 1,
    auth: discord({ publicKeys: key.toString('hex') }),
    headers,
  }
}

function sendgridSubject() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const headers = {
    'x-twilio-email-event-webhook-signature': sign('sha256', 'something else', privateKey).toString('base64'),
    'x-twilio-email-event-webhook-timestamp': seconds,
  }
  return { name: 'SendGrid, ECDSA', size: 25 * MB, count: 1, auth: sendgrid({ publicKeys: key }), headers }
}

const hubSignature = { 'x-hub-signature-256': `sha256=${'a'.repeat(64)}` }
const SUBJECTS = [
  hmacSubject('GitHub, SHA-256', github, 'sha256', 25 * MB, 1, hubSignature),
  hmacSubject('GitHub, SHA-256', github, 'sha256', 25 * MB, 10, hubSignature),
  hmacSubject('GitHub, SHA-256', github, 'sha256', 64 * KB, 1000, hubSignature),
  hmacSubject('GitHub, SHA-256', github, 'sha256', MB, 1, hubSignature),
  hmacSubject('Intercom, SHA-1', intercom, 'sha1', 25 * MB, 1, {
    'x-hub-signature': `sha1=${'a'.repeat(40)}`,
  }),
  hmacSubject('Paystack, SHA-512', paystack, 'sha512', 25 * MB, 1, {
    'x-paystack-signature': 'a'.repeat(128),
  }),
  sendgridSubject(),
  discordSubject(),
]

/** The quietest of several rounds, because the system takes the processor away for longer than most stalls last. */
export async function measure({ rounds, progress }) {
  const rows = []
  for (const { name, size, count, auth, headers, update } of SUBJECTS) {
    progress(`${name}, ${count}`)
    const body = Buffer.from(`{"a":"${'x'.repeat(size - 8)}"}`)
    const sent = { 'content-type': 'application/json', ...headers }
    const delivery = { method: 'POST', header: (name) => sent[name], body, sourceIp: undefined }
    const store = memoryStore({ maxRecords: 10 })
    const listener = defineListener({ id: 'stall', auth, store, maxBodyBytes: size })
    const runs = []
    for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
      runs.push(
        await longestGap(async () => {
          const verdict = await verify(delivery, listener)
          if (verdict.reason !== 'signature_mismatch') throw new Error(`${name}: ${verdict.reason}`)
        }),
      )
      if (update) runs.at(-1).atOnce = (await longestGap(async () => update(body))).gap
    }
    const least = (column) => Math.min(...runs.map((run) => run[column]))
    const atOnce = update && least('atOnce')
    rows.push({ name, size, count, gap: least('gap'), total: least('total'), atOnce })
  }
  return rows
}

/**
 * How long a callback that is always due had to wait at most, and how long the work took. Of the time between two turns, only as much
 * counts as this process has computed: the rest was the system's. Of what it has computed, the thread pool's share counts only
 * as long as the callback waits.
 */
async function longestGap(work) {
  let last = now()
  let gap = 0
  let isOver = false
  const note = () => {
    const { wall, cpu } = now()
    gap = Math.max(gap, Math.min(wall - last.wall, cpu - last.cpu))
    last = { wall, cpu }
    if (!isOver) setImmediate(note)
  }
  await new Promise((resolve) => setImmediate(resolve))
  last = now()
  const { wall: start } = last
  setImmediate(note)
  await work()
  const total = performance.now() - start
  await new Promise((resolve) => setImmediate(resolve))
  isOver = true
  return { gap, total }
}

/** In milliseconds. */
function now() {
  const { user, system } = process.cpuUsage()
  return { wall: performance.now(), cpu: (user + system) / 1000 }
}
