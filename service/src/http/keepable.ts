import { Problem } from './problem.ts'

/** `JSON.stringify` ends at some thousands, and what is stored is answered inside of more. */
const MOST_LEVELS = 100

/** @throws Problem `request_invalid` for objects and lists in each other more than 100 deep. */
export function checkNesting(given: object): void {
  let level: object[] = [given]
  for (let levels = 1; level.length > 0; levels += 1) {
    if (levels > MOST_LEVELS)
      throw new Problem('request_invalid', `JSON has at most ${MOST_LEVELS} levels here.`)
    level = level.flatMap((container) => Object.values(container)).filter(isContainer)
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
