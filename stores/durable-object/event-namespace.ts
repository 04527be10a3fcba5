import { EventStoreError, ListenerConfigError } from '../../src/errors.ts'
import type { EventKey } from '../../src/event-store.ts'
import { hasMethod } from '../../src/lib/options.ts'
import type { ObjectQuestion } from './event-store-object.ts'

/** The part of a Durable Object namespace that is used. */
export interface EventNamespace {
  idFromName(name: string): object
  get(
    id: object,
    options?: object,
  ): {
    fetch(
      url: string,
      init: { method: string; body: string },
    ): Promise<{
      readonly status: number
      text(): Promise<string>
    }>
  }
}

/** Asks the object that holds the event. */
type AskObject = <Answer>(
  key: EventKey,
  question: ObjectQuestion,
  answers: readonly Answer[],
) => Promise<Answer>

const KNOWN = 'must be the Durable Object namespace of EventStoreObject: env.EVENTS, say'

/** @throws ListenerConfigError for anything but a namespace. The message names the store that accepts it. */
export function askObject(
  namespace: EventNamespace,
  shards: number,
  locationHint: string | undefined,
): AskObject {
  // Object stubs have `fetch`. They pretend to have every method, and each call is a request.
  if (!hasMethod(namespace, 'idFromName') || hasMethod(namespace, 'fetch')) {
    throw new ListenerConfigError('namespace', problemOf(namespace))
  }
  const options = locationHint === undefined ? undefined : { locationHint }
  return async (key, question, answers) => {
    // A new stub each time: a stub stays broken once it has failed, and does not outlive its request.
    const stub = namespace.get(namespace.idFromName(objectName(key, shards)), options)
    const response = await stub.fetch('https://event-store/', {
      method: 'POST',
      body: JSON.stringify(question),
    })
    return judge(response.status, await response.text(), answers)
  }
}

/** Unique per listener: the text before the first slash is always a number. */
function objectName({ listenerId, eventId }: EventKey, shards: number): string {
  return `${Number.parseInt(eventId.slice(0, 8), 16) % shards}/${listenerId}`
}

function judge<Answer>(status: number, text: string, answers: readonly Answer[]): Answer {
  const answer = status === 200 ? answers.find((known) => JSON.stringify(known) === text) : undefined
  if (answer !== undefined) return answer
  throw new EventStoreError(
    'the object behind the namespace is no EventStoreObject: export it from the Worker, and name it as class_name',
  )
}

function problemOf(given: unknown): string {
  if (hasMethod(given, 'fetch')) return `${KNOWN}, not one object of it`
  if (hasMethod(given, 'prepare')) {
    return `${KNOWN}; d1Store of hookgate/stores/d1 takes D1 bindings, sqliteStore of hookgate/stores/sqlite databases`
  }
  if (Reflect.has(Object(given), 'sql') || Reflect.has(Object(given), 'databaseSize')) {
    return `${KNOWN}, not the storage of an object`
  }
  return given === undefined ? `${KNOWN}; it is undefined: does the configuration name it so?` : KNOWN
}
