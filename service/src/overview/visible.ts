const MOST_CHARACTERS = 2_000

/** How many characters to read, one more than are shown. */
export const READ_CHARACTERS: number = MOST_CHARACTERS + 1

/**
 * Invisible and reordering characters: controls, bidi controls, zero widths, lone surrogates. Not tabs and line feeds.
 */
const UNSEEN = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}]/gu

/** Makes untrusted text fit for a page: makes every character visible, and shows 2,000. Does not escape HTML. */
export function visible(text: string): string {
  const characters = [...text]
  const shown = characters
    .slice(0, MOST_CHARACTERS)
    .join('')
    .replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return characters.length > MOST_CHARACTERS ? `${shown}…` : shown
}
