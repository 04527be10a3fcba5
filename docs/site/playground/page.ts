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

let timer: ReturnType<typeof setTimeout> | undefined
document.querySelector('form')?.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(look, PAUSE_MS)
})
schemeMenu().addEventListener('change', chooseScheme)
/** One action at a time: a signature needs the pair that a click just before it makes. */
let acting = Promise.resolve()
const BUTTONS = { sign, tamper, copy: copyCurl, 'new-secret': makeSecret, 'new-pair': makePair }
for (const [id, action] of Object.entries(BUTTONS)) {
  byId(id, HTMLElement).addEventListener('click', () => {
    acting = acting.finally(() => act(action))
  })
}

listSenders(byId('senders', HTMLElement))
schemeMenu().value = EXAMPLE.scheme
field('secret').value = EXAMPLE.secret
area('body').value = EXAMPLE.body
await chooseScheme()
await act(sign)
told.textContent = ''
