import { createContext, Script } from 'node:vm'

const script = new Script('work()')
const context: { work?: () => void } = createContext({})

/** The work was stopped. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

/**
 * Runs synchronous work under the watchdog of `node:vm`, which stops loops and regular expressions alike. Only the clock
 * is borrowed: the work runs in its own realm, and nothing is kept from it.
 *
 * @throws TimeLimitError when the time is over; otherwise what the work throws.
 */
export function withinMilliseconds<Value>(timeout: number, work: () => Value): Value {
  let value: { readonly of: Value } | undefined
  context.work = () => {
    value = { of: work() }
  }
  try {
    script.runInContext(context, { timeout })
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new TimeLimitError(`took longer than ${timeout} ms and was stopped`)
  }
  if (value === undefined) throw new TypeError('the work did not run')
  return value.of
}
