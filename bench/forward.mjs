// node bench/forward.mjs: the cost of `hookgate listen --forward-to` per delivery, and of an app that hangs. Three
// processes: this one sends, the built command is the gateway, and the app is forked.
import { fork, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { signHmac } from 'hookgate/testing'

const SECRET = 'bench-forward-0123456789-abcdefghijklmnop'
const FORWARD_SECRET = `whsec_${Buffer.from(SECRET).toString('base64')}`
const [ROUNDS, PER_ROUND, LANES, STUCK] = [11, 300, 32, 500]
const BODY = JSON.stringify({ text: 'x'.repeat(1000) })

if (process.argv[2] === 'app') {
  const server = createServer((received, response) => {
    const hangs = received.url === '/hang'
    received.resume().on('end', () => hangs || response.end('ok'))
  })
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
} else {
  await measure()
}

async function measure() {
  const app = fork(new URL(import.meta.url), ['app'], { execArgv: [] })
  const port = await new Promise((resolve) => app.once('message', resolve))
  const direct = `http://127.0.0.1:${port}/`
  const gateway = await startGateway(direct)
  const hanging = await startGateway(`${direct}hang`, '--timeout', '50')
  try {
    const agent = new Agent({ keepAlive: true })
    const post = async (url, body = BODY) => deliver(url, await signHmac({ secret: SECRET, body }), agent)
    const rounds = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      rounds.push([await medianOf(() => post(direct)), await medianOf(() => post(gateway.url))])
    }
    rounds.shift() // warm-up
    const added = middle(rounds.map(([plain, through]) => through - plain))
    const [plain, through] = [0, 1].map((at) => middle(rounds.map((round) => round[at])))
    console.log(
      `p50 direct ${plain.toFixed(2)} ms, through ${through.toFixed(2)} ms, added ${added.toFixed(2)} ms`,
    )
    console.log(
      `${LANES} at once: direct ${await rate(() => post(direct))}/s, through ${await rate(() => post(gateway.url))}/s`,
    )
    const startedWith = cpuOf(gateway.child)
    for (let sent = 0; sent < 2000; sent += 1) await post(gateway.url)
    const cpuMs = (cpuOf(gateway.child) - startedWith) / 2000
    console.log(`CPU of the gateway: ${cpuMs.toFixed(2)} ms a delivery`)
    const before = residentOf(hanging.child)
    const large = JSON.stringify('x'.repeat(65_000))
    for (let sent = 0; sent < STUCK; sent += 1) post(hanging.url, large).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 5000))
    const grown = (residentOf(hanging.child) - before) / STUCK
    console.log(`${STUCK} deliveries of 64 KB to an app that hangs: ${grown.toFixed(0)} KB of memory each`)
  } finally {
    for (const { child } of [gateway, hanging]) child.kill('SIGKILL')
    app.kill('SIGKILL')
  }
  process.exit()
}

async function startGateway(target, ...args) {
  const command = new URL('../dist/cli/main.js', import.meta.url).pathname
  const child = spawn(
    process.execPath,
    [command, 'listen', '--port', '0', '--json', '--forward-to', target, ...args],
    {
      env: { ...process.env, HOOKGATE_SECRET: SECRET, HOOKGATE_FORWARD_SECRET: FORWARD_SECRET },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let said = ''
  for await (const text of child.stderr.setEncoding('utf8')) {
    said += text
    const [, url] = /^Listening on (\S+)$/m.exec(said) ?? []
    if (url) return { child, url }
  }
}

function deliver(url, { headers, body }, agent) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      response
        .resume()
        .on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(response.statusCode))))
    })
    sent.on('error', reject).end(body)
  })
}

async function medianOf(send) {
  const times = []
  for (let sent = 0; sent < PER_ROUND; sent += 1) {
    const startedAt = performance.now()
    await send()
    times.push(performance.now() - startedAt)
  }
  return middle(times)
}

async function rate(send) {
  const startedAt = performance.now()
  let left = 5000
  const lane = async () => {
    while (left-- > 0) await send()
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return Math.round(5000 / ((performance.now() - startedAt) / 1000))
}

function middle(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}

/** User and system time in ms. The clock of /proc ticks 100 times per second. */
function cpuOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** In KB. */
function residentOf({ pid }) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])
}
