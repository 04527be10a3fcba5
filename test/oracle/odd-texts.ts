import TEXTS from './vectors/odd-texts.json' with { type: 'json' }

/** Odd texts by the place where they are tried. Each case replaces `<name>`. */
export const ODD_TEXTS = TEXTS

/** Fills in a template. */
export function fill(template: string, parts: { readonly [name: string]: string }): string {
  return template.replace(/<(\w+)>/g, (place, name: string) => parts[name] ?? place)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** base64url with a bit or two of its last character flipped. These bits may be unused. */
export function near(text: string, bits: number): string {
  return text.slice(0, -1) + (ALPHABET[ALPHABET.indexOf(text.slice(-1)) ^ bits] ?? '')
}
