import { type Action, copyCurl, makePair, makeSecret, sign, tamper } from './actions.ts'
import { area, byId, field, nameFields, readForm, schemeMenu, showFields } from './form.ts'
import { judge } from './judge.ts'
import { resultOf } from './result.ts'
import { isOwn, listSenders, loadScheme, needsOf } from './senders.ts'

const PAUSE_MS = 150
const EXAMPLE = { scheme: 'stripe', secret: 'whsec_for_trying', body: '{"id":"evt_1","type":"invoice.paid"}' }

const result = byId('result', HTMLElement)
const told = byId('told', HTMLElement)

/** Counts verifications, which can finish out of order. Only the latest is shown. */
let looks = 0

async function look(): Promise<void> {
  looks += 1
  const own = looks
  const judged = await judge(readForm())
  if (own === looks) result.replaceChildren(...resultOf(judged))
}

/** Shows the fields that the chosen scheme needs, with the sender's name for its secret. */
async function chooseScheme(): Promise<void> {
  const { scheme } = readForm()
  if (isOwn(scheme)) {
    const isJwt = scheme === 'jwt'
    showFields(isJwt ? ['jwt'] : ['secret'])
    return nameFields('Signing secret', isJwt ? 'Endpoint URL: aud' : 'Endpoint URL')
  }
  const factory = await loadScheme(scheme)
  if (scheme !== readForm().scheme) return // another scheme was chosen meanwhile
  const { secretName } = factory.scheme
  const { option, signsUrl, hasOwnOptions } = needsOf(factory)
  const isKey = option === 'publicKeys'
  showFields([isKey ? 'key' : 'secret', ...(hasOwnOptions ? ['more'] : [])])
  nameFields(
    `${isKey ? 'Public key' : 'Secret'}: ${secretName}`,
    signsUrl ? 'Endpoint URL, signed' : 'Endpoint URL',
  )
}

async function act(action: Action): Promise<void> {
  told.textContent = ''
  try {
    told.textContent = await action()
  } catch (error) {
    told.textContent = error instanceof Error ? error.message : String(error)
  }
  await look()
}

const LARGEST_PASTE = 524_288
/** The clipboard's own text: in the field, each line break is LF. */
let clipboard = ''

/** Refuses a large text before anything reads it. */
function readPaste(): Action {
  const { value } = area('pasted')
  const text = clipboard.replaceAll(/\r\n?/g, '\n') === value ? clipboard : value
  return async () => {
    if (text.trim() === '') return ''
    if (text.length > LARGEST_PASTE) {
      area('pasted').value = ''
      throw new RangeError(
        `At most ${LARGEST_PASTE / 1024} KB are read, and this has ${Math.ceil(text.length / 1024)}.`,
      )
    }
    const { fillFrom } = await import('./paste.ts')
    const report = await fillFrom(text)
    await chooseScheme()
    return report
  }
}

area('pasted').addEventListener('paste', ({ clipboardData }) => {
  clipboard = clipboardData?.getData('text/plain').slice(0, LARGEST_PASTE + 1) ?? ''
})

let timer: ReturnType<typeof setTimeout> | undefined
document.querySelector('form')?.addEventListener('input', ({ target }) => {
  clearTimeout(timer)
  timer = setTimeout(() => (target === area('pasted') ? queue(readPaste()) : look()), PAUSE_MS)
})
schemeMenu().addEventListener('change', chooseScheme)
/** One action at a time: a signature needs the pair that a click just before it makes. */
let acting = Promise.resolve()
function queue(action: Action): void {
  acting = acting.finally(() => act(action))
}
const BUTTONS = { sign, tamper, copy: copyCurl, 'new-secret': makeSecret, 'new-pair': makePair }
for (const [id, action] of Object.entries(BUTTONS)) {
  byId(id, HTMLElement).addEventListener('click', () => queue(action))
}

listSenders(byId('senders', HTMLElement))
schemeMenu().value = EXAMPLE.scheme
field('secret').value = EXAMPLE.secret
area('body').value = EXAMPLE.body
await chooseScheme()
await act(sign)
told.textContent = ''
