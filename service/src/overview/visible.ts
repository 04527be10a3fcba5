const MOST_CHARACTERS = 2_000

/** How much of a text to read: enough to see that it is longer than what is shown. */
export const READ_CHARACTERS: number = MOST_CHARACTERS + 1

/** What is not seen, or moves what is seen: controls, directions, zero widths, halves of pairs. Not tabs and line feeds. */
const UNSEEN = /[^\P{C}\t\n]|[\p{Zl}\p{Zp}]/gu

/**
 * Somebody else's text as a page shows it: every character can be seen, and 2,000 of them are shown. Does not escape HTML.
 *
 * @param length How many there are, where only a part was read.
 */
export function visible(text: string, length?: number): string {
  const characters = [...text]
  const shown = characters
    .slice(0, MOST_CHARACTERS)
    .join('')
    .replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  if (characters.length <= MOST_CHARACTERS) return shown
  return `${shown}… ${length === undefined ? '' : `(${length} characters)`}`.trim()
}
