/** What the reader has entered. */
export interface Entered {
  /** `hmac`, `jwt`, or the name of a sender's scheme. */
  readonly scheme: string
  /** The shared secret, or the sender's public key. */
  readonly secret: string
  readonly jwks: string
  readonly subject: string
  readonly url: string
  /** Options of a scheme that has its own, as JSON. */
  readonly more: string
  readonly headers: string
  readonly body: string
  /** The bytes of the body: those that were pasted, until somebody changes the text. */
  readonly bytes: Uint8Array
  readonly privateKey: string
  readonly anyAge: boolean
}

/** The element with this ID, which index.html has. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${id}`)
  return found
}

export const field = (id: string): HTMLInputElement => byId(id, HTMLInputElement)
export const area = (id: string): HTMLTextAreaElement => byId(id, HTMLTextAreaElement)
export const schemeMenu = (): HTMLSelectElement => byId('scheme', HTMLSelectElement)

export function readForm(): Entered {
  return {
    scheme: schemeMenu().value,
    secret: field('secret').value,
    jwks: area('jwks').value,
    subject: field('subject').value,
    url: field('url').value,
    more: field('more').value,
    headers: area('headers').value,
    body: area('body').value,
    bytes: bodyBytes(),
    privateKey: field('private-key').value,
    anyAge: field('any-age').checked,
  }
}

/** Shows the fields that a scheme needs. */
export function showFields(shown: readonly string[]): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-for]')) {
    part.hidden = !(part.dataset.for ?? '').split(' ').some((name) => shown.includes(name))
  }
}

/** Names the fields whose meaning depends on the scheme. */
export function nameFields(secret: string, url: string): void {
  byId('secret-label', HTMLElement).textContent = secret
  byId('url-label', HTMLElement).textContent = url
}

/** A text field turns line breaks into LF, and holds no bytes that are not UTF-8. */
let held = { shown: '', bytes: new Uint8Array() }

function bodyBytes(): Uint8Array {
  const { value } = area('body')
  return value === held.shown ? held.bytes : new TextEncoder().encode(value)
}

/** Shows a body, and keeps its bytes. */
export function setBody(bytes: Uint8Array): void {
  area('body').value = new TextDecoder().decode(bytes)
  held = { shown: area('body').value, bytes: Uint8Array.from(bytes) }
}
