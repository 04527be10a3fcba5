// Makes the pictures of the inspector and of the terminal: `npm run build && node tools/pictures.mjs`, with Chromium and util-linux's `script` installed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { github } from 'hookgate/schemes/github'
import { stripe } from 'hookgate/schemes/stripe'
import { signAs } from 'hookgate/testing'
import { chromium } from 'playwright-core'

const pathOf = (name) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url))
const SECRET = 'whsec_for_these_pictures_0123456789'
const TYPES = ['customer.created', 'invoice.paid', 'charge.refunded']
const COLOUR_SCHEMES = ['light', 'dark']

const app = createServer((_, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}'),
).listen(0, '127.0.0.1')
await once(app, 'listening')
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const listen = ['listen', '--port', '0', '--scheme', 'stripe', '--ui', '--ui-port', '0']
const listening = spawn(process.execPath, [main, ...listen, '--forward-to', `${app.address().port}`], {
  env: { ...process.env, HOOKGATE_SECRET: SECRET },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const found = {}
for await (const line of createInterface(listening.stdout)) {
  const [, name, url] = /^(Listening on|Inspector:) (\S+)$/.exec(line) ?? []
  if (name) found[name] = url
  if (found['Inspector:']) break
}
const send = async (url, secret, id, type, change = (body) => body) => {
  const data = { object: { id: 'in_1', amount_paid: 2000, currency: 'eur' } }
  const signed = await signAs(stripe, { secret, body: { id, object: 'event', type, data } })
  await (await fetch(url, { ...signed, body: change(`${signed.body}`) })).text()
}
for (const [index, type] of TYPES.entries())
  await send(found['Listening on'], SECRET, `evt_${index + 1}`, type)
await send(found['Listening on'], `${SECRET}\n`, 'evt_4', 'invoice.paid')
const tamper = (body) => body.replace('2000', '9000')
await send(found['Listening on'], SECRET, 'evt_2', 'invoice.paid', tamper)

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
for (const colorScheme of COLOUR_SCHEMES) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 696 } })
  await page.goto(found['Inspector:'])
  await page.getByText('Difference to #').waitFor()
  await page.screenshot({ path: pathOf(`inspector-${colorScheme}.png`) })
  await page.close()
}

/** What `listen` writes in a terminal of 100 columns, with its colours. */
async function terminalText() {
  const command = `stty cols 100; exec ${process.execPath} ${main} listen --scheme stripe --explain --port 8787`
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', HOOKGATE_SECRET: SECRET },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  terminal.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const shows = async (words) => {
    while (!text.includes(words)) await once(terminal.stdout, 'data')
  }
  await shows('invoice.paid\r\n\r\n')
  const [url] = /http:\S+/.exec(text) ?? []
  await send(url, SECRET, 'evt_1', 'invoice.paid')
  await send(url, SECRET, 'evt_1', 'invoice.paid')
  await send(url, `"${SECRET}"`, 'evt_2', 'invoice.paid')
  await shows('likely: ')
  await (await fetch(url, await signAs(github, { secret: SECRET, body: '{}', eventType: 'push' }))).text()
  await shows('from GitHub')
  terminal.stdin.write('\u0003')
  await once(terminal, 'close')
  return text.replace('^C', '').replaceAll('node dist/cli/main.js', 'hookgate').trim()
}

const COLOURS = { 31: '#ff7b72', 32: '#5fd068', 33: '#e3b341', 90: '#8b949e' }
const escaped = { '&': '&amp;', '<': '&lt;' }
const html = (await terminalText())
  .replace(/[&<]/g, (character) => escaped[character])
  .split('\u001b')
  .join('')
  .replace(/\[(\d+)m/g, (_, code) => (COLOURS[code] ? `<span style="color:${COLOURS[code]}">` : '</span>'))
const page = await browser.newPage({ viewport: { width: 1000, height: 600 }, deviceScaleFactor: 1.3 })
await page.setContent(`<body style="margin:0"><pre style="margin:0;padding:24px;width:100ch;box-sizing:content-box;
background:#17191c;color:#e6e7ea;font:14px/1.5 monospace;border-radius:10px;white-space:pre-wrap"
><span style="color:${COLOURS[90]}">$</span> hookgate listen --scheme stripe --explain\n${html}</pre>`)
await page.locator('pre').screenshot({ path: pathOf('terminal.png'), omitBackground: true })

await browser.close()
listening.kill('SIGINT')
app.close()
app.closeAllConnections()
