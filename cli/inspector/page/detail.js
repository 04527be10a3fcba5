import { actionsFor } from './actions.js'
import { bodyPart } from './body.js'
import { differencePart } from './difference.js'
import { element, part, statusTone, toneOf, utcOf, visible, withCode } from './text.js'

const pane = document.querySelector('#detail')

export function showDetail(delivery, hello) {
  pane.replaceChildren(
    heading(delivery, hello),
    ...why(delivery),
    ...differencePart(delivery),
    ...answerPart(delivery),
    facts(delivery),
    checks(delivery),
    bodyPart('Body', delivery, contentType(delivery.headers)),
    part('Headers', headers(delivery.headers)),
  )
  pane.hidden = false
  pane.scrollTop = 0
}

export function hideDetail() {
  pane.hidden = true
}

function heading(delivery, hello) {
  const { reason, status, seq, app } = delivery
  const word = reason === 'event_duplicate' ? 'duplicate' : delivery.verdict
  const verdict = word[0].toUpperCase() + word.slice(1)
  const title = element('h2', '', element('span', word === 'accepted' ? word : toneOf(delivery), verdict))
  if (app) {
    const did = app.status === null ? 'did not answer' : `answered ${app.status}`
    title.append(', then the app ', element('span', statusTone(app.status), did))
  } else if (reason === 'internal') title.append(', then listen ', element('span', 'refused', 'failed'))
  const answer = status === null ? 'the sender left before the answer' : `answered ${status}`
  return element(
    'header',
    '',
    title,
    element('span', 'quiet', `#${seq}, ${answer}`),
    actionsFor(delivery, hello),
  )
}

function why(delivery) {
  const { reason, detail, likely, token, app } = delivery
  if (!reason) return []
  const isNeutral = toneOf(delivery) === 'neutral'
  const box = element(
    'div',
    isNeutral ? 'why neutral' : 'why',
    element('p', '', element('b', 'mono', ...visible(reason))),
  )
  const words = detail ?? app?.problem
  if (words) box.append(element('p', '', ...visible(words)))
  const lines = [...likely.map((line) => ['Likely: ', line]), ...token.map((line) => ['Token: ', line])]
  if (lines.length > 0) {
    box.append(
      element(
        'ul',
        '',
        ...lines.map(([label, line]) => element('li', '', element('b', '', label), ...withCode(line))),
      ),
    )
  }
  return [box]
}

function facts(delivery) {
  const { eventId, eventType, unsigned, isVerified } = delivery
  const { time, method, path, sourceIp, times, replayOf, bytes } = delivery
  const ms = (value) => (value === null ? '–' : `${value.toFixed(1)} ms`)
  const name = (text, member) => {
    if (text === null) return ['–']
    const doubt = isVerified
      ? unsigned.includes(member) && 'nothing signs it'
      : 'not verified: anyone can write this'
    return [...visible(text), ...(doubt ? [' ', element('span', 'tag', doubt)] : [])]
  }
  const rows = [
    ['Type', name(eventType, 'type')],
    ['Event', name(eventId, 'id')],
    ['Received', `${utcOf(time).join(' ')} UTC${replayOf ? `, run again from #${replayOf}` : ''}`],
    [
      'Request',
      `${method} ${path}, ${bytes.toLocaleString('en')} bytes from ${sourceIp ?? 'an unknown address'}`,
    ],
    [
      'Times',
      `receive ${ms(times.receive)} · decide ${ms(times.decide)} · app ${ms(times.app)} · total ${ms(times.total)}`,
    ],
  ]
  return element(
    'dl',
    '',
    ...rows.flatMap(([name, value]) => [
      element('dt', '', name),
      element(
        'dd',
        'mono',
        ...[value].flat().flatMap((part) => (typeof part === 'string' ? visible(part) : part)),
      ),
    ]),
  )
}

const MARKS = {
  true: ['✓', 'passed', 'accepted'],
  false: ['✕', 'refused', 'refused'],
  null: ['·', 'not reached', 'quiet'],
}

function checks({ checks }) {
  if (checks.length === 0) return part('Checks', element('p', 'quiet', 'No check decided this delivery.'))
  const items = checks.map(({ name, says, ok }) => {
    const [mark, meaning, colour] = MARKS[ok]
    const sign = element('span', `mark ${colour}`, mark)
    sign.role = 'img'
    sign.ariaLabel = meaning
    const item = element('li', '', sign, element('span', 'mono', name), element('span', '', says))
    item.dataset.ok = ok
    return item
  })
  const all = element('ol', 'checks', ...items)
  if (checks.some(({ ok }) => !ok)) return part('Checks, in order', all)
  const passed = element('summary', '')
  passed.append(element('span', 'accepted', '✓'), ` All ${checks.length} checks passed`)
  return part('Checks', element('details', '', passed, all))
}

function headers(pairs) {
  if (pairs.length === 0) return element('p', 'quiet', 'None.')
  const rows = pairs.map(([name, value]) => {
    const cell = element('th', '', ...visible(name))
    cell.scope = 'row'
    return element('tr', '', cell, element('td', '', ...visible(value)))
  })
  return element('table', 'headers', element('tbody', '', ...rows))
}

/** What the app answered, its body first. `why` says why it did not. */
function answerPart({ app }) {
  if (!app || app.status === null) return []
  const all = element(
    'details',
    '',
    element('summary', '', `${app.headers.length} headers`),
    headers(app.headers),
  )
  return [bodyPart(`App answered ${app.status}`, app, contentType(app.headers)), all]
}

function contentType(pairs) {
  return pairs.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
}
