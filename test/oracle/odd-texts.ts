import TEXTS from './vectors/odd-texts.json' with { type: 'json' }

/** What is tried where, as data: `<name>` stands for what the case puts there. */
export const ODD_TEXTS = TEXTS

/** A template with its places filled. */
export function fill(template: string, parts: { readonly [name: string]: string }): string {
  return template.replace(/<(\w+)>/g, (place, name: string) => parts[name] ?? place)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** base64url that differs in a bit or two of its last character: perhaps in bits that mean nothing. */
export function near(text: string, bits: number): string {
  return text.slice(0, -1) + (ALPHABET[ALPHABET.indexOf(text.slice(-1)) ^ bits] ?? '')
}
