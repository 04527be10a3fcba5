// Draws the results as one SVG. Each kind of delivery has a bar per verifier, whose length is its multiple of the
// floor.
import { sizeName } from './tables.mjs'

const WIDTH = 860
const LABELS = 250
const BAR = 14
const GAP = 4
const HEADING = 26
const MOST = 6
const COLOURS = { hookgate: '#1a7f37', floor: '#8c959f' }
const SHOWN = [
  'floor',
  'floor, HMAC by hand',
  'hookgate',
  'stripe',
  'standardwebhooks',
  'fast-jwt, and the rest of the job',
  'jose, token alone',
  'hono/jwt, token alone',
]

/** Makes groups of bars from the suites' rows. */
function groupsOf({ hmac, jwt }) {
  const grouped = (rows = [], heading) =>
    [...new Set(rows.map(heading))].map((name) => ({
      name,
      members: rows.filter((row) => heading(row) === name),
    }))
  return [
    ...grouped(hmac?.rows, ({ size }) => `HMAC, ${sizeName(size)}`),
    ...grouped(
      jwt?.rows.filter(({ lanes }) => lanes === 1),
      ({ algorithm }) => `${algorithm}, one at a time`,
    ),
  ].map(({ name, members }) => ({ name, bars: members.filter((row) => SHOWN.includes(row.name)) }))
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const text = (x, y, content, more = '') => `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`

function bar({ name, toFloor }, y) {
  const length = (Math.min(toFloor, MOST) / MOST) * (WIDTH - LABELS - 60)
  const fill = COLOURS[name.split(',')[0]] ?? '#54aeff'
  return [
    text(LABELS - 8, y + BAR - 3, name, 'text-anchor="end"'),
    `<rect x="${LABELS}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" fill="${fill}"/>`,
    text(LABELS + length + 6, y + BAR - 3, `${toFloor.toFixed(2)}${toFloor > MOST ? ' …' : ''}`),
  ].join('')
}

export function plot(runs) {
  const lines = []
  let y = 8
  for (const run of runs) {
    const [{ node }] = Object.values(run)
    for (const { name, bars } of groupsOf(run)) {
      lines.push(text(8, y + 16, `${name} · Node ${node.slice(1).split('.')[0]}`, 'font-weight="bold"'))
      y += HEADING
      for (const row of bars) {
        lines.push(bar(row, y))
        y += BAR + GAP
      }
      y += GAP
    }
  }
  const start = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 8}" viewBox="0 0 ${WIDTH} ${y + 8}" font-family="system-ui, sans-serif" font-size="12" fill="#57606a">`
  return `${start}\n<title>Time for a verified delivery, as a multiple of the floor (shorter is faster)</title>\n${lines.join('\n')}\n</svg>\n`
}
