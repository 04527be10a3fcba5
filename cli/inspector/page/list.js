import { ask } from './server.js'
import { element, statusTone, toneOf, utcOf, verdictOf, visible } from './text.js'

const list = document.querySelector('#list')
const filter = document.querySelector('#filter')
const FIELDS = {
  reason: 'reason',
  status: 'status',
  id: 'eventId',
  type: 'eventType',
  path: 'path',
}
const MOST_ROWS = 2000

/** By number: the row, its element, and the text to filter by. */
const entries = new Map()
let chosen
let onChoose = () => {}
let onProblem = () => {}
let waiting = []
/** What `body:` looks for, and the numbers of the deliveries that have it, as the server said last. */
let [sought, found, asking] = ['', undefined, undefined]
/** Deliveries that the page got, and the most that the server keeps. */
let [got, keep] = [0, 0]

/**
 * @param choose Called when the reader chooses a row, and when rows arrive.
 * @param say Called with what went wrong.
 */
export function startList(choose, say) {
  ;[onChoose, onProblem] = [choose, say]
  filter.value = new URLSearchParams(location.search).get('q') ?? ''
  // Browsers that empty the field by themselves tell `search` alone.
  for (const type of ['input', 'search']) filter.addEventListener(type, applyFilter)
  list.addEventListener('click', ({ target }) => {
    const row = target.closest('.row')
    if (row) choose(Number(row.dataset.seq), true)
  })
}

/** @param most How many deliveries the server keeps. */
export function forgetRows(most = keep) {
  entries.clear()
  ;[waiting, got, keep] = [[], 0, most]
  list.replaceChildren()
  showCount()
}

/** Draws once per frame, however many rows arrive. */
export function addRows(rows) {
  if (waiting.length === 0) requestAnimationFrame(draw)
  got += rows.length
  waiting = waiting.concat(rows).slice(-MOST_ROWS)
}

function draw() {
  const matches = matcher()
  const fragment = document.createDocumentFragment()
  for (const row of waiting) {
    const entry = { row, node: nodeOf(row), words: wordsOf(row) }
    entry.node.hidden = !matches(entry)
    entries.set(row.seq, entry)
    fragment.prepend(entry.node)
  }
  waiting = []
  list.prepend(fragment)
  for (const [seq, { node }] of entries) {
    if (entries.size <= MOST_ROWS) break
    node.remove()
    entries.delete(seq)
  }
  showCount()
  searchBodies()
  onChoose(shown()[0]?.dataset.seq, false)
}

const wordsOf = (row) =>
  Object.values({ ...row, verdict: verdictOf(row) })
    .join(' ')
    .toLowerCase()

function nodeOf(row) {
  const { seq, time, verdict, reason, eventId, eventType, unsigned, isVerified, status } = row
  const { ms, replayOf, app, path } = row
  const tone = toneOf(row)
  const what = element(
    'span',
    `verdict mono ${reason ? 'reason ' : ''}${tone}`,
    ...visible(reason ?? verdict),
  )
  const tags = [
    ...(replayOf ? [`again #${replayOf}`] : []),
    ...(app && app.status >= 300 ? [`app answered ${app.status}`] : []),
  ].map((words) => element('span', 'tag', words))
  const names = element('span', isVerified ? 'names mono' : 'names mono unverified')
  if (eventType !== null) names.append(element('span', 'type', ...visible(eventType)))
  if (eventId !== null) {
    const mark = unsigned.includes('id') && isVerified ? '*' : ''
    names.append(element('span', 'id', ...visible(eventId), mark))
  }
  if (eventId === null && eventType === null) names.append(element('span', 'id', ...visible(path)))
  else if (!isVerified) names.prepend(element('span', 'tag', 'not verified')) // first, as long names are cut
  const node = element(
    'div',
    'row',
    element('time', 'mono', utcOf(time)[1]),
    element('span', 'what', what, ...tags),
    element('span', `num ${statusTone(status)}`, String(status ?? 'gone')),
    element('span', 'num quiet', `${ms.toFixed(ms < 100 ? 1 : 0)} ms`),
    names,
  )
  node.id = `row-${seq}`
  node.dataset.seq = seq
  node.role = 'option'
  node.ariaSelected = 'false'
  return node
}

/** Parses a filter such as `verdict:refused evt_1`. Every word must match. */
function matcher() {
  const words = wordsOfFilter()
  return ({ row, words: all }) =>
    words.every((word) => {
      if (word.startsWith(IN_BODY)) return word === IN_BODY || found?.has(row.seq)
      const [, field, text] = word.match(/^(verdict|reason|status|id|type|path):(.*)$/) ?? []
      return field ? fieldOf(row, field).toLowerCase().includes(text) : all.includes(word)
    })
}

const IN_BODY = 'body:'
const wordsOfFilter = () => filter.value.toLowerCase().split(/\s+/).filter(Boolean)

/** The pause before a search. It grows with what the last one took, because the server also answers senders. */
const SEARCH_MS = 150
const PAUSE_PER_MS = 3
const LONGEST_PAUSE_MS = 3000
let pause = SEARCH_MS

/** Asks the server, which has the bodies. Once per pause, also while deliveries keep arriving. */
function searchBodies() {
  const words = wordsOfFilter()
    .filter((word) => word.startsWith(IN_BODY) && word !== IN_BODY)
    .map((word) => word.slice(IN_BODY.length))
  sought = words.join(' ')
  if (words.length === 0 || asking) return
  asking = setTimeout(async () => {
    const [now, seen, startedAt] = [sought, got, performance.now()]
    try {
      const answer = await (await ask('search', { words: now.split(' ') })).json()
      if (now === sought) found = new Set(answer.found)
    } catch (error) {
      onProblem(error.message)
    }
    const took = performance.now() - startedAt
    pause = Math.min(LONGEST_PAUSE_MS, Math.max(SEARCH_MS, PAUSE_PER_MS * took))
    asking = undefined
    hideOthers()
    if (now !== sought || seen !== got) searchBodies()
  }, pause)
}

const fieldOf = (row, field) => String((field === 'verdict' ? verdictOf(row) : row[FIELDS[field]]) ?? '')

function applyFilter() {
  const query = filter.value ? `?q=${encodeURIComponent(filter.value)}` : location.pathname
  history.replaceState(null, '', query)
  searchBodies()
  hideOthers()
}

function hideOthers() {
  const matches = matcher()
  for (const entry of entries.values()) entry.node.hidden = !matches(entry)
  showCount()
}

export function emptyFilter() {
  filter.value = ''
  applyFilter()
}

function showCount() {
  const [all, visibleRows] = [entries.size, shown().length]
  const kept = Math.min(got, keep)
  const most = kept > MOST_ROWS ? `latest ${all} of ${kept}; exports have all` : `${all}`
  document.querySelector('#count').textContent = visibleRows === all ? most : `${visibleRows} of ${most}`
  document.querySelector('#empty').hidden = all > 0
  list.hidden = all === 0
}

/** The rows that match the filter, latest first. */
function shown() {
  return [...list.children].filter((node) => !node.hidden)
}

export function mark(seq) {
  if (chosen) chosen.ariaSelected = 'false'
  chosen = entries.get(seq)?.node
  if (!chosen) return list.removeAttribute('aria-activedescendant')
  chosen.ariaSelected = 'true'
  list.setAttribute('aria-activedescendant', chosen.id)
  chosen.scrollIntoView({ block: 'nearest' })
}

/** @param step How many rows further down. */
export function neighbour(step) {
  const rows = shown()
  const at = rows.indexOf(chosen)
  return Number(rows[Math.min(rows.length - 1, Math.max(0, at === -1 ? 0 : at + step))]?.dataset.seq)
}

export function latest() {
  return Number(shown()[0]?.dataset.seq)
}
