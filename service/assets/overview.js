// Keeps the page up to date. On each change event, it fetches the page again and replaces <main>.
const live = document.getElementById('live')
const closed = () => [...document.querySelectorAll('li[id]:has(details:not([open]))')].map(({ id }) => id)

async function refresh() {
  const reply = await fetch('/', { headers: { accept: 'text/html' } })
  if (!reply.ok) throw new Error(`${reply.status}`)
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
  const toClose = closed()
  document.querySelector('main').replaceWith(page.querySelector('main'))
  for (const id of toClose) document.getElementById(id)?.querySelector('details')?.removeAttribute('open')
}

const changes = new EventSource('/overview/changes')
changes.onopen = () => {
  live.textContent = 'Live.'
}
changes.onerror = () => {
  live.textContent = 'Not connected. Trying again…'
}
changes.addEventListener('version', async ({ data }) => {
  if (data === document.querySelector('main').dataset.version) return
  await refresh().catch(({ message }) => {
    live.textContent = `Not up to date (${message}). Reload the page.`
  })
})
