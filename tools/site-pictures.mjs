// Makes the pictures of the site: `npm run site && node tools/site-pictures.mjs`, with Chromium installed. Build the site again after it.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const pathOf = (name) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url))
const TYPES = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  png: 'image/png',
}

const site = createServer((request, response) => {
  const path = new URL(request.url, 'http://site').pathname.replace(/\/$/, '/index.html')
  response.writeHead(200, { 'content-type': TYPES[path.split('.').at(-1)] ?? 'text/plain' })
  response.end(readFileSync(pathOf(`site/dist${path}`)))
}).listen(0, '127.0.0.1')
await once(site, 'listening')
const origin = `http://127.0.0.1:${site.address().port}`
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })

for (const colorScheme of ['light', 'dark']) {
  const playground = await browser.newPage({ colorScheme, viewport: { width: 1100, height: 800 } })
  await playground.goto(`${origin}/playground/`)
  await playground.getByRole('button', { name: 'Sign this body' }).click()
  await playground.getByText('Accepted').first().waitFor()
  await playground.getByRole('button', { name: 'Change a byte' }).click()
  await playground.locator('.clearest').waitFor()
  await playground.evaluate('scrollTo(0, 0)')
  await playground.screenshot({ path: pathOf(`playground-${colorScheme}.png`) })
  await playground.close()
}

/** What a chat shows for a link to any page: the first screen, without its navigation. */
const home = await browser.newPage({ viewport: { width: 1200, height: 630 } })
await home.goto(`${origin}/`)
await home.locator('.first figure').waitFor()
await home.addStyleTag({
  content:
    '.VPHome .first { zoom: 0.75 } .VPHome .first ~ *, .VPNav, .actions, .quiet, button.copy { display: none !important } .VPHome .first { padding: 8px 0 0 !important; gap: 10px 40px !important }',
})
await home.screenshot({ path: pathOf('site/public/link-preview.png') })

await browser.close()
site.close()
site.closeAllConnections()
