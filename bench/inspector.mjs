// node bench/inspector.mjs: the cost of `hookgate listen --ui` without an open page, the delay until a page shows rows,
// and the memory that stays. Needs Chromium. Three processes: this one sends, the built command listens, and the
// browser shows the page.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signHmac } from 'hookgate/testing'
import { chromium } from 'playwright-core'

const SECRET = 'bench-inspector-0123456789-abcdefghijklmn'
const [PAIRS, PER_ROUND, LANES] = [Number(process.argv[2] ?? 31), 2000, 8]
const BODY = JSON.stringify({ text: 'x'.repeat(1000) })
const IDS = Array.from({ length: 1000 }, () => crypto.randomUUID())
let posted = 0
const agent = new Agent({ keepAlive: true, maxSockets: 32 })

const middle = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
const quantile = (numbers, part) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)]

const running = []
try {
  await compareCpu()
  await measurePage()
  await measureMemory()
} finally {
  for (const child of running) child.kill('SIGKILL')
}
process.exit()

/** Both processes run all the time and take turns in alternating order. */
async function compareCpu() {
  const [plain, withUi] = [await listen(), await listen('--ui', '--ui-port', '0')]
  const ratios = []
  for (let pair = -3; pair < PAIRS; pair += 1) {
    const order = pair % 2 ? [plain, withUi] : [withUi, plain]
    const spent = new Map()
    for (const one of order) spent.set(one, await cpuOfRound(one))
    if (pair >= 0) ratios.push(spent.get(withUi) / spent.get(plain))
  }
  const percent = (ratio) => `${((ratio - 1) * 100).toFixed(1)} %`
  // The distribution-free 95 % interval of a median: its ranks are n/2 ± 0.98 √n.
  const reach = 0.98 * Math.sqrt(PAIRS)
  const sorted = ratios.toSorted((a, b) => a - b)
  const [low, high] = [Math.floor(PAIRS / 2 - reach), Math.ceil(PAIRS / 2 + reach)].map(
    (rank) => sorted[rank],
  )
  console.log(
    `CPU with --ui and no page open: ${percent(middle(ratios))} more, ${percent(low)} to ${percent(high)}`,
  )
  for (const { child } of [plain, withUi]) child.kill('SIGKILL')
}

async function cpuOfRound({ url, child }) {
  const before = cpuOf(child)
  await deliverMany(url, PER_ROUND)
  return cpuOf(child) - before
}

async function measurePage() {
  const { url, ui } = await listen('--ui', '--ui-port', '0', '--keep', '500')
  for (let sent = 0; sent < 20; sent += 1) await post(url)
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  const firsts = []
  let page
  for (let opened = 0; opened < 11; opened += 1) {
    await page?.close()
    page = await browser.newPage()
    const startedAt = performance.now()
    await page.goto(ui)
    await page.locator('.row').first().waitFor()
    firsts.push(performance.now() - startedAt)
  }
  console.log(
    `first row after navigation: median ${middle(firsts).toFixed(0)} ms, longest ${Math.max(...firsts).toFixed(0)} ms`,
  )
  await page.evaluate(`window.seenAt = []; new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node.matches?.('.row')) seenAt.push(Date.now())
  }).observe(document.body, { childList: true, subtree: true })`)
  const lives = []
  for (let sent = 0; sent < 100; sent += 1) {
    await post(url)
    const answeredAt = Date.now()
    await page.waitForFunction((count) => seenAt.length >= count, sent + 1, { polling: 10 })
    lives.push((await page.evaluate('seenAt.at(-1)')) - answeredAt)
  }
  console.log(`a live row after the answer: median ${middle(lives)} ms, 99 % ${quantile(lives, 0.99)} ms`)
  await page.close()
  await measureBurst(browser)
  await browser.close()
}

/** 1,000 deliveries per second for 10 s, with an open page. */
async function measureBurst(browser) {
  const record = join(mkdtempSync(join(tmpdir(), 'hookgate-bench-')), 'record.ndjson')
  const { url, ui } = await listen('--ui', '--ui-port', '0', '--record', record)
  const page = await browser.newPage()
  await page.goto(ui)
  await page.locator('#state[data-state=live]').waitFor()
  const [replies, waits, startedAt] = [[], [], performance.now()]
  for (let tick = 1; tick <= 1000; tick += 1) {
    for (let each = 0; each < 10; each += 1) replies.push(post(url))
    const left = startedAt + tick * 10 - performance.now()
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
    if (tick % 50 === 0) waits.push(await timeOf(() => page.evaluate('document.title')))
  }
  await Promise.all(replies)
  const rate = replies.length / ((performance.now() - startedAt) / 1000)
  const lines = readFileSync(record, 'utf8').trimEnd().split('\n').length
  console.log(
    `${replies.length} deliveries at ${rate.toFixed(0)}/s: ${lines} lines in the record; the page answered within ${Math.max(...waits).toFixed(0)} ms`,
  )
  rmSync(join(record, '..'), { recursive: true })
}

async function timeOf(work) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function measureMemory() {
  const grown = []
  for (const args of [[], ['--ui', '--ui-port', '0']]) {
    const { url, child } = await listen(...args)
    const before = residentOf(child)
    await deliverMany(url, 100_000)
    grown.push(((residentOf(child) - before) / 1024).toFixed(1))
    child.kill('SIGKILL')
  }
  console.log(
    `memory after 100,000 deliveries: ${grown[0]} MB more without --ui, ${grown[1]} MB more with it`,
  )
}

async function listen(...args) {
  const command = new URL('../dist/cli/main.js', import.meta.url).pathname
  const child = spawn(process.execPath, [command, 'listen', '--port', '0', '--json', ...args], {
    env: { ...process.env, HOOKGATE_SECRET: SECRET },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.push(child)
  let said = ''
  for await (const text of child.stderr.setEncoding('utf8')) {
    said += text
    const [, url] = /^Listening on (\S+)$/m.exec(said) ?? []
    const [, ui] = /^Inspector: (\S+)$/m.exec(said) ?? []
    if (url && (ui || !args.includes('--ui')) && said.includes('Next, ')) return { child, url, ui }
  }
}

async function deliverMany(url, count) {
  let left = count
  const lane = async () => {
    while (left-- > 0) await post(url)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** Sends duplicates after the first thousand, because the store would be full. */
async function post(url) {
  posted += 1
  const eventId = IDS[posted % IDS.length]
  const { headers, body } = await signHmac({ secret: SECRET, body: BODY, eventId })
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      response
        .resume()
        .on('end', () =>
          [200, 409].includes(response.statusCode) ? resolve() : reject(new Error(response.statusCode)),
        )
    })
    sent.on('error', reject).end(body)
  })
}

/** In ns, of all its threads. */
function cpuOf({ pid }) {
  const threads = readdirSync(`/proc/${pid}/task`)
  const spent = threads.map(
    (thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0],
  )
  return spent.reduce((sum, ns) => sum + Number(ns), 0)
}

/** In KB. */
function residentOf({ pid }) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])
}
