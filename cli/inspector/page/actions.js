import { ask } from './server.js'
import { bytesOf, editable, element, httpOf, indented, isPlain, isText, textOf } from './text.js'

const TOAST_MS = 5000
const toast = document.querySelector('#toast')
const dialog = document.querySelector('#edit')
const text = document.querySelector('#edit-body')
let hiding

export function say(message) {
  toast.textContent = message
  toast.hidden = false
  clearTimeout(hiding)
  hiding = setTimeout(() => {
    toast.hidden = true
  }, TOAST_MS)
}

/** The buttons of one delivery. Each signs again: the same bytes would be refused as a replay. */
export function actionsFor(delivery, { cannotSign, expires, hasApp }) {
  const partial = delivery.truncated ? 'Its body was not read in full.' : ''
  const bytes = bytesOf(delivery.body)
  const body = delivery.isCut || !isText(bytes) ? undefined : editable(textOf(bytes))
  const unfit = body === undefined ? 'Its body cannot be edited as text.' : ''
  const risky =
    delivery.isCut || !isPlain(bytes) ? 'Its body is too long or not plain text: export it instead.' : ''
  const forever = expires ? '' : 'This signature would be valid forever. Use hookgate send instead.'
  const run = button('Run again', partial, 'Your handler runs again, with all its effects', () =>
    send(delivery, {}, cannotSign),
  )
  run.className = 'primary'
  const runs = [
    run,
    button('Edit and run…', cannotSign || unfit, 'Change the body, sign it, run your handler', () =>
      edit(delivery, body),
    ),
  ]
  const noApp = element('span', 'quiet', 'To run it again, add --forward-to')
  return element(
    'div',
    'actions',
    ...(hasApp ? (isRunnable(delivery, cannotSign) ? runs : []) : [noApp]),
    menu(
      button('Test for a duplicate', cannotSign || partial, 'Sends the same event as its sender would', () =>
        send(delivery, { asDuplicate: true }),
      ),
      button('Copy curl', cannotSign || partial || forever, 'A new event, valid for a few minutes', () =>
        copyCurl(delivery),
      ),
      button(
        'Copy as received',
        partial || risky,
        'As HTTP, with signatures, tokens and cookies hidden',
        () => copy(httpOf(delivery), 'Copied: the request as received'),
      ),
    ),
  )
}

/** Refusals of what was authenticated. */
const KNOWN = ['event_duplicate', 'event_in_progress', 'payload_invalid']

/** Whether a handler can run it: it is a delivery, and signed newly, or as it was accepted. */
function isRunnable({ method, verdict, reason }, cannotSign) {
  if (method !== 'POST' || verdict === 'handshake') return false
  return !cannotSign || verdict !== 'refused' || KNOWN.includes(reason)
}

function menu(...items) {
  const box = element('details', 'menu', element('summary', '', 'More'), element('div', '', ...items))
  box.addEventListener('click', ({ target }) => {
    if (target.matches('button')) box.open = false
  })
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !box.open) return
    event.stopPropagation()
    box.open = false
    box.firstChild.focus()
  })
  return box
}

export function button(label, problem, title, act) {
  const made = element('button', '', label)
  made.type = 'button'
  made.title = problem || title
  made.disabled = Boolean(problem)
  made.addEventListener('click', act)
  return made
}

async function send({ seq }, wish, cannotSign) {
  try {
    const sent = await (await ask(`deliveries/${seq}/send`, wish)).json()
    say(wish.asDuplicate ? ofDuplicate(sent) : ofRun(sent, cannotSign))
  } catch (error) {
    say(error.message)
  }
}

/** What became of an event that ran again. */
function ofRun({ seq, verdict, reason, status, app }, cannotSign) {
  if (app?.status) return `Ran again as #${seq}: your app answered ${app.status}`
  if (app) return `Run as #${seq}, but your app did not answer: ${app.problem}`
  if (verdict === 'accepted') return `Ran again as #${seq}: listen answered ${status}; no app is behind it`
  if (verdict === 'handshake') return `A handshake, #${seq}: answered ${status}`
  return `Did not run: #${seq} was refused, ${reason}. ${cannotSign ?? ''}`.trim()
}

function ofDuplicate({ seq, reason, status, app }) {
  if (reason === 'event_duplicate') return `Recognised as a duplicate: #${seq} was answered ${status}`
  if (reason && !app) return `Not tested: #${seq} was refused, ${reason}`
  return `Not a duplicate: no run of it was finished, so #${seq} ran. ${ofRun({ seq, verdict: 'accepted', status, app })}`
}

function edit(delivery, body) {
  text.value = indented(body) ?? body // shown as it is signed and sent
  dialog.returnValue = ''
  dialog.showModal()
  text.setSelectionRange(0, 0) // at its beginning
  text.scrollTop = 0
  dialog.onclose = () => {
    if (dialog.returnValue === 'send') send(delivery, { body: text.value })
  }
}

export async function copy(value, words) {
  try {
    await navigator.clipboard.writeText(value)
    say(words)
  } catch {
    say('The browser did not allow copying.')
  }
}

async function copyCurl({ seq }) {
  try {
    const { command } = await (await ask(`deliveries/${seq}/curl`, {})).json()
    await copy(command, 'Copied: newly signed, with a new event ID if the sender uses IDs')
  } catch (error) {
    say(error.message)
  }
}

export async function download(name) {
  try {
    const url = URL.createObjectURL(await (await ask(`export.${name}`)).blob())
    const link = element('a', '')
    Object.assign(link, { href: url, download: `hookgate.${name}` })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), TOAST_MS)
  } catch (error) {
    say(error.message)
  }
}

/** Empties the list in every tab. Recorded files stay. */
export async function clear() {
  try {
    await ask('clear', {})
  } catch (error) {
    say(error.message)
  }
}
