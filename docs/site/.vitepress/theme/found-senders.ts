const LONGEST = 40

/** Letters and digits alone, without accents and in lower case: `Dropbox Sign` and `dropbox-sign` are the same. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** The names of an entry, which stand on its first line. */
export const namesIn = (entry: string): string => entry.split('<br>', 1)[0] ?? ''

/**
 * Which entries a reader means, by their names. One or two letters are the beginning of a word: so `x` is X, and not Dropbox. If
 * none has what was typed, those with a name that differs by a typo. All, if nothing was typed.
 */
export function foundSenders(typed: string, names: readonly string[]): ReadonlySet<number> {
  const wanted = folded(typed).slice(0, LONGEST)
  const indices = names.map((_, at) => at)
  if (wanted === '') return new Set(typed.trim() === '' ? indices : [])
  const isIn = wanted.length < 3 ? beginsWord : (typed: string, name: string) => folded(name).includes(typed)
  const having = indices.filter((at) => isIn(wanted, names[at] ?? ''))
  return new Set(having.length > 0 ? having : indices.filter((at) => isAlike(wanted, names[at] ?? '')))
}

const wordsOf = (names: string) => names.split(/[(),\s]+/).map(folded)
const beginsWord = (wanted: string, names: string) => wordsOf(names).some((word) => word.startsWith(wanted))

/** Whether a word of the names, or all of one, begins like this, but for one typo, or two in a long one. */
function isAlike(wanted: string, names: string): boolean {
  const typos = wanted.length < 4 ? 0 : wanted.length < 8 ? 1 : 2
  const words = wordsOf(names)
  const starts = words.map((_, at) => words.slice(at).join(''))
  return starts.some((start) =>
    [-1, 0, 1].some((more) => distance(wanted, start.slice(0, wanted.length + more)) <= typos),
  )
}

/** How many letters to add, drop, change, or exchange with the next (optimal string alignment). */
function distance(a: string, b: string): number {
  let [last, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      const isExchanged = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const [above = 0, left = 0, corner = 0] = [row?.[j], next[j - 1], row?.[j - 1]]
      next[j] = Math.min(above + 1, left + 1, corner + (isSame ? 0 : 1))
      if (isExchanged) next[j] = Math.min(next[j] ?? 0, (last?.[j - 2] ?? 0) + 1)
    }
    ;[last, row] = [row, next]
  }
  return row?.[b.length] ?? 0
}
