// Makes docs/inspector-light.png and docs/inspector-dark.png: `npm run build && node docs/pictures.mjs`, with Chromium installed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stripe } from 'hookgate/schemes/stripe'
import { signAs } from 'hookgate/testing'
import { chromium } from 'playwright-core'

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
const send = async (secret, id, type) => {
  const data = { object: { id: 'in_1', amount_paid: 2000, currency: 'eur' } }
  const signed = await signAs(stripe, { secret, body: { id, object: 'event', type, data } })
  await (await fetch(found['Listening on'], signed)).text()
}
for (const [index, type] of TYPES.entries()) await send(SECRET, `evt_${index + 1}`, type)
await send(`${SECRET}\n`, 'evt_4', 'invoice.paid')

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
for (const colorScheme of COLOUR_SCHEMES) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 720 } })
  await page.goto(found['Inspector:'])
  await page.getByText('Likely:').waitFor()
  await page.screenshot({ path: fileURLToPath(new URL(`inspector-${colorScheme}.png`, import.meta.url)) })
  await page.close()
}
await browser.close()
listening.kill('SIGINT')
app.close()
app.closeAllConnections()
