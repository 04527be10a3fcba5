/**
 * The name that was perhaps meant: in another letter case, begun by the given one, or with one or two other letters. Undefined if
 * none is near, and at most half of a short name may differ.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const near = (changes: number) =>
    candidates.find(
      (each) =>
        each.startsWith(name) ||
        (2 * changes <= each.length && isWithin(changes, wanted, each.toLowerCase())),
    )
  return near(0) ?? near(1) ?? near(2)
}

/** Whether the Levenshtein distance is at most `changes`. */
function isWithin(changes: number, a: string, b: string): boolean {
  if (changes < 0 || a === b) return changes >= 0
  const [restOfA, restOfB, left] = [a.slice(1), b.slice(1), changes - 1]
  if (a[0] === b[0]) return isWithin(changes, restOfA, restOfB)
  return isWithin(left, restOfA, b) || isWithin(left, a, restOfB) || isWithin(left, restOfA, restOfB)
}
