import { Problem } from './problem.ts'

/** `JSON.stringify` fails at a few thousand levels, and responses add some. */
const MOST_LEVELS = 100

/**
 * Checks JSON that is stored as given.
 *
 * @throws Problem `request_invalid` for more than 100 levels of nesting, and for numbers such as `1e400`, which would
 * be stored as null.
 */
export function checkKeepable(given: object): void {
  let level: unknown[] = [given]
  for (let levels = 0; level.length > 0; levels += 1) {
    if (level.some((value) => value === Infinity || value === -Infinity))
      throw new Problem('request_invalid', 'Numbers must be at most 1.7976931348623157e308.')
    const containers = level.filter(isContainer)
    if (containers.length > 0 && levels === MOST_LEVELS)
      throw new Problem('request_invalid', `JSON must have at most ${MOST_LEVELS} levels.`)
    level = containers.flatMap((container) => Object.values(container))
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
