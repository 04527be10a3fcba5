import { clear, copy, download, say } from './actions.js'
import { hideDetail, showDetail } from './detail.js'
import { addRows, emptyFilter, forgetRows, latest, mark, neighbour, startList } from './list.js'
import { ask, watch } from './server.js'

const state = document.querySelector('#state')
const list = document.querySelector('#list')
const filter = document.querySelector('#filter')
const pane = document.querySelector('#detail')

/** The server's capabilities. */
let hello = {}
/** The number of the delivery that is shown. */
let shown
/** Whether to show each delivery as it arrives. Ends when the reader chooses one. */
let isFollowing = true
let isLoading = false

function showState(name, words) {
  state.dataset.state = name
  state.textContent = words
}

/** Loads one delivery at a time. In a burst, skips to the last one chosen. */
async function choose(seq, byReader) {
  if (byReader) isFollowing = false
  if (!seq || (!byReader && !isFollowing) || Number(seq) === shown) return mark(shown)
  shown = Number(seq)
  mark(shown)
  if (isLoading) return
  isLoading = true
  try {
    let drawn
    while (drawn !== shown) {
      drawn = shown
      const delivery = await (await ask(`deliveries/${drawn}`)).json()
      if (drawn === shown) showDetail(delivery, hello)
    }
  } catch (error) {
    if (!isFollowing) say(error.message)
  } finally {
    isLoading = false
  }
}

function follow() {
  isFollowing = true
  list.focus()
  choose(latest(), false)
}

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return
  if (key === 'Escape') {
    if (target === filter) emptyFilter()
    return follow()
  }
  if (target.matches('input, textarea')) {
    if (target === filter && key === 'ArrowDown') list.focus()
    return
  }
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key]
  const isInPane = pane.contains(target)
  if (step && !(isInPane && key.startsWith('Arrow'))) {
    event.preventDefault()
    choose(neighbour(step), true)
  } else if (key === '/') {
    event.preventDefault()
    filter.focus()
  } else if (key === 'Enter' && target === list && shown) {
    pane.focus()
  }
})

startList(choose, say)
document.querySelector('#export-ndjson').addEventListener('click', () => download('ndjson'))
document.querySelector('#clear').addEventListener('click', clear)
document
  .querySelector('#copy-command')
  .addEventListener('click', () => copy(hello.command, 'Copied: run it in another terminal'))
document.querySelector('#export-har').addEventListener('click', () => download('har'))

watch({
  hello(given) {
    hello = given
    showState('live', 'Live')
    document.querySelector('#endpoint').textContent = given.url
    document.querySelector('#any-path').hidden = !given.isAnyPath
    document.querySelector('#command').textContent = given.command ?? ''
    document.querySelector('#try').hidden = !given.command
    document.querySelector('#new-secret').hidden = !given.isNewSecret
    document.querySelector('#given-secret').hidden = !given.isGivenSecret
    forgetRows(given.keep)
  },
  cleared() {
    forgetRows()
    shown = undefined
    isFollowing = true
    hideDetail()
  },
  rows: addRows,
  lost: () => showState('lost', 'Reconnecting'),
  elsewhere: () => showState('waiting', 'Live in another tab; return to this one to continue'),
  locked() {
    showState('lost', 'Locked')
    hideDetail()
    say('Open the address that hookgate listen printed: it holds the key to this page.')
  },
})
