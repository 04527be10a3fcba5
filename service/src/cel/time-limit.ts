import { createContext, Script } from 'node:vm'

const script = new Script('work()')
const context: { work?: () => void } = createContext({})

/** The work was stopped. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

/** How often work is begun anew that others on the machine have kept from its time. */
const MOST_ATTEMPTS = 10

/**
 * Runs synchronous work under the watchdog of `node:vm`, which stops loops and regular expressions alike. Only the clock
 * is borrowed: the work runs in its own realm, and nothing is kept from it. It must have no effects: on a machine that
 * was too busy to let it run, it begins anew.
 *
 * @throws TimeLimitError when it used up the time itself; otherwise what the work throws.
 */
export function withinMilliseconds<Value>(timeout: number, work: () => Value): Value {
  for (let attempt = 1; ; attempt += 1) {
    const before = process.cpuUsage()
    const done = attemptWithin(timeout, work)
    if (done) return done.value
    const { user, system } = process.cpuUsage(before)
    const usedMs = (user + system) / 1000
    if (usedMs > timeout / 2 || attempt === MOST_ATTEMPTS) {
      throw new TimeLimitError(`took longer than ${timeout} ms and was stopped`)
    }
  }
}

/** Undefined when the watchdog stopped it. */
function attemptWithin<Value>(timeout: number, work: () => Value): { readonly value: Value } | undefined {
  let done: { readonly value: Value } | undefined
  context.work = () => {
    done = { value: work() }
  }
  try {
    script.runInContext(context, { timeout })
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
  }
  return done
}
