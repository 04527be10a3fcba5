import { Problem } from './problem.ts'

/** `JSON.stringify` ends at some thousands, and what is stored is answered inside of more. */
const MOST_LEVELS = 100

/**
 * Of what is kept as it is given.
 *
 * @throws Problem `request_invalid` for objects and lists in each other more than 100 deep, and for numbers like `1e400`:
 *   JSON has them, but they are read as infinite, and would be kept as null.
 */
export function checkKeepable(given: object): void {
  let level: unknown[] = [given]
  for (let levels = 0; level.length > 0; levels += 1) {
    if (level.some((value) => value === Infinity || value === -Infinity))
      throw new Problem('request_invalid', 'Numbers are at most 1.7976931348623157e308 here.')
    const containers = level.filter(isContainer)
    if (containers.length > 0 && levels === MOST_LEVELS)
      throw new Problem('request_invalid', `JSON has at most ${MOST_LEVELS} levels here.`)
    level = containers.flatMap((container) => Object.values(container))
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
