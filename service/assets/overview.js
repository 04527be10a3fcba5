// Keeps the page up to date. On each change event, it fetches the page again and replaces <main>.
const RETRY_MS = 2_000
const live = document.getElementById('live')
const opened = () => [...document.querySelectorAll('li[id]:has(details[open])')].map(({ id }) => id)

async function refresh() {
  const reply = await fetch('/', { headers: { accept: 'text/html' } })
  if (!reply.ok) throw new Error(`${reply.status}`)
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
  const toOpen = opened()
  document.querySelector('main').replaceWith(page.querySelector('main'))
  for (const id of toOpen) document.getElementById(id)?.querySelector('details')?.setAttribute('open', '')
}

function connect() {
  const changes = new EventSource('/overview/changes')
  let isOver = false
  const retry = () => {
    if (isOver) return
    isOver = true
    live.textContent = 'Not connected. Trying again…'
    changes.close()
    setTimeout(connect, RETRY_MS)
  }
  changes.onopen = () => {
    live.textContent = 'Live.'
  }
  // The browser gives up after an answer such as 503. So each error starts over.
  changes.onerror = retry
  changes.addEventListener('version', async ({ data }) => {
    if (data !== document.querySelector('main').dataset.version) await refresh().catch(retry)
  })
}

connect()
