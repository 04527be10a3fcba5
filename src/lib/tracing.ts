import { textOf } from './member-of.ts'

/** The part of Node's TracingChannel that is used. */
export interface TracingChannel {
  readonly hasSubscribers: boolean
  tracePromise<T>(work: () => Promise<T>, fields: object): Promise<T>
  subscribe(subscribers: { asyncEnd(fields: object): void }): void
  unsubscribe(subscribers: { asyncEnd(fields: object): void }): unknown
}

interface Platform {
  readonly process?: {
    getBuiltinModule?(name: string): { tracingChannel(name: string): TracingChannel } | undefined
  }
}

/** Looked up at run time: browsers and Workers cannot load a module that imports this one from Node. */
export function tracingChannel(name: string): TracingChannel | undefined {
  const { process } = globalThis as Platform // not every runtime has one
  return process?.getBuiltinModule?.('node:diagnostics_channel')?.tracingChannel(`hookgate:${name}`)
}

/**
 * Runs `work`, and publishes it to the channel's subscribers: first the fields from `describe()`, at the end
 * those for the result. Subscribers see nothing else of the result, and only the name and message of an
 * error.
 */
export function traced<T>(
  channel: TracingChannel | undefined,
  work: () => Promise<T>,
  describe: (result?: T) => object,
): Promise<T> {
  if (!channel?.hasSubscribers) return work()
  const fields = describe()
  let result: Promise<T>
  const returned = () => result
  return channel
    .tracePromise(() => {
      result = work()
      return result.then(
        (value) => void Object.assign(fields, describe(value)),
        (error: unknown) => {
          throw { name: textOf(error, 'name') ?? 'Error', message: textOf(error, 'message') ?? '' }
        },
      )
    }, fields)
    .then(returned, returned)
}
