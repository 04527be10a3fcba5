// Shows the latest <main>: asks for it every two seconds while the page is visible, and replaces it once it has changed.
const EVERY_MS = 2_000
const PATIENCE_MS = 5_000
const live = document.getElementById('live')
let etag = ''

const opened = () => [...document.querySelectorAll('li[id]:has(details[open])')].map(({ id }) => id)

function show(page) {
  const toOpen = opened()
  const focused = document.activeElement.closest('li[id]')?.id
  document.querySelector('main').replaceWith(page.querySelector('main'))
  for (const id of toOpen) document.getElementById(id)?.querySelector('details')?.setAttribute('open', '')
  document.getElementById(focused)?.querySelector('summary').focus({ preventScroll: true })
}

/** Returns how it went, for the reader. */
async function refresh() {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const reply = await fetch('/overview/latest', { headers: { 'if-none-match': etag }, signal })
  if (reply.status === 401 || reply.status === 403) return 'Your token is no longer valid. Reload to sign in.'
  if (reply.status === 304) return 'Live.'
  if (!reply.ok) throw new Error(`${reply.status}`)
  show(new DOMParser().parseFromString(await reply.text(), 'text/html'))
  etag = reply.headers.get('etag')
  return 'Live.'
}

async function keepUp() {
  if (!document.hidden) {
    const said = await refresh().catch(() => 'Not connected. Trying again…')
    if (live.textContent !== said) live.textContent = said // which screen readers announce
  }
  setTimeout(keepUp, EVERY_MS)
}

keepUp()
