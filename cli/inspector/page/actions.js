import { ask } from './server.js'
import { bytesOf, element, isText, textOf } from './text.js'

const TOAST_MS = 5000
const toast = document.querySelector('#toast')
const dialog = document.querySelector('#edit')
const text = document.querySelector('#edit-body')
const asNew = document.querySelector('#edit-new')
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
export function actionsFor(delivery, { cannotSend, takesNewId, expires }) {
  const isWhole = !delivery.truncated
  const cannot = cannotSend ?? (isWhole ? '' : 'Its body was not read in full.')
  const bytes = bytesOf(delivery.body)
  const fixed = takesNewId ? '' : "This sender's events are identified by their bytes. Edit the body instead."
  const editable = delivery.isCut || !isText(bytes) ? 'Its body cannot be edited as text.' : ''
  const forever = expires ? '' : 'This signature would be valid forever. Use hookgate send instead.'
  return element(
    'div',
    'actions',
    button('Send again', cannot, 'The same event ID, newly signed', () => send(delivery, {})),
    button('Send as new', cannot || fixed, 'A new event ID: your handler runs again', ({ target }) =>
      confirmed(target, () => send(delivery, { isNewEvent: true })),
    ),
    button('Edit…', cannotSend || editable, 'Change the body, sign it, send it', () =>
      edit(delivery, textOf(bytes)),
    ),
    button('Copy curl', cannot || forever, 'Newly signed, valid for a few minutes', () => copyCurl(delivery)),
  )
}

function button(label, problem, title, act) {
  const made = element('button', '', label)
  made.type = 'button'
  made.title = problem || title
  made.disabled = Boolean(problem)
  made.addEventListener('click', act)
  return made
}

let isConfirmed = false

/** Asks once, because sending runs the handler with all its effects. */
function confirmed(target, act) {
  if (isConfirmed) return act()
  isConfirmed = true
  target.textContent = 'Run the handler?'
  target.classList.add('primary')
  target.addEventListener(
    'click',
    () => {
      target.textContent = 'Send as new'
      target.classList.remove('primary')
    },
    { once: true },
  )
}

async function send({ seq }, wish) {
  try {
    const { status } = await (await ask(`deliveries/${seq}/send`, wish)).json()
    say(`Sent, newly signed: answered ${status}`)
  } catch (error) {
    say(error.message)
  }
}

function edit(delivery, body) {
  text.value = body
  asNew.checked = false
  dialog.returnValue = ''
  dialog.showModal()
  dialog.onclose = () => {
    if (dialog.returnValue === 'send') send(delivery, { body: text.value, isNewEvent: asNew.checked })
  }
}

async function copyCurl({ seq }) {
  try {
    const { command } = await (await ask(`deliveries/${seq}/curl`, { isNewEvent: true })).json()
    await navigator.clipboard.writeText(command)
    say('Copied: newly signed, with a new event ID if the sender uses IDs')
  } catch (error) {
    say(error.message)
  }
}

/** Saves an export. */
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
