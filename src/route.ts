import { ListenerConfigError } from './errors.ts'
import { textOf } from './lib/member-of.ts'
import { aFunction, optional } from './lib/options.ts'
import type { EventOf, Listener } from './listener.ts'

type NameOf<Event> = Event extends { readonly type?: undefined }
  ? never
  : Event extends { readonly type: infer Type extends string }
    ? Type
    : string

type Prefixes<Name extends string> = Name extends `${infer Start}.${infer Rest}`
  ? `${Start}.*` | `${Start}.${Prefixes<Rest>}`
  : never

/** The events whose name is the key, or begins with it. One event may have several names; one without types fits every key. */
type Routed<Event, Key extends string> = Event extends { readonly type?: undefined }
  ? never
  : Event extends { readonly type: infer Type }
    ? OfName<Event, Extract<Type, Key extends `${infer Start}*` ? `${Start}${string}` : Key>>
    : Event

type OfName<Event, Type> = [Type] extends [never] ? never : Event & { readonly type: Type }

/** What `route` returns: one handler, which knows the types that it handles. */
interface Routes {
  /** The keys of the handlers, e.g. for `inspect` of `hookgate/management`. */
  readonly types: readonly string[]
}

type Handler<Event, Rest extends readonly unknown[], Result> = (event: Event, ...rest: Rest) => Result

type Handlers<Event, Rest extends readonly unknown[], Result> = {
  readonly [Key in NameOf<Event> | Prefixes<NameOf<Event>>]?: Handler<Routed<Event, Key>, Rest, Result>
} & { readonly '*': Handler<Event, Rest, Result> }

/** Unless the listener's events can be passed as these. `any` is the context of everything, and would take the types away. */
type NeverUnless<Passed, Event> = 0 extends 1 & Event ? never : [Passed] extends [Event] ? unknown : never

/** `NoInfer` would stay, and hide the members of a union. */
type Uninferred<Type> = [Type][Type extends unknown ? 0 : never]

/**
 * Returns a function that calls the handler for an event's type: the one with its exact name, else the longest prefix,
 * `customer.*`, else `*`. Works in every adapter, because it passes on whatever follows the event.
 *
 * `*` is required: senders add new events whenever they like. Answer 2xx there, or the sender will try again in vain.
 * Does not check that the payload has the shape that its type promises.
 *
 * @example
 * ```ts
 * const handle = route(listener, {
 *   'invoice.paid': (event) => console.log(event.payload),
 *   'customer.*': (event) => console.log(event.type),
 *   '*': () => {},
 * })
 * ```
 *
 * As the handler of an inbox, in `box.work(listener, route(listener, { … }))`, its events are those of a job.
 *
 * @param listener only its types are used
 * @throws ListenerConfigError if there is no handler for `*`, or if a handler is no function.
 */
export function route<
  // By where the router goes, such as a worker of an inbox. Otherwise, by the handlers: the second signature.
  Given extends Listener<unknown>,
  Rest extends readonly unknown[] = never,
  Result = unknown,
  Event = EventOf<Given>,
>(
  listener: Given & ([Rest] extends [never] ? never : NeverUnless<EventOf<Given>, Event>),
  handlers: Handlers<Uninferred<Event>, Uninferred<Rest>, Uninferred<Result>>,
): Handler<Event, Rest, Result> & Routes
export function route<
  Given extends Listener<unknown>,
  Rest extends readonly unknown[] = [],
  Result = unknown,
>(
  listener: Given,
  handlers: Handlers<EventOf<Given>, Rest, Result>,
): Handler<EventOf<Given>, Rest, Result> & Routes
export function route(
  listener: unknown,
  handlers: object,
): Handler<unknown, readonly unknown[], unknown> & Routes {
  void listener // only its types are used
  // Own properties only: a type may be `constructor`. Longer prefixes come first.
  const known = new Map<string, Handler<unknown, readonly unknown[], unknown>>(Object.entries(handlers))
  for (const [key, handler] of known) optional(aFunction)(handler, `route['${key}']`)
  const fallback = known.get('*')
  if (fallback === undefined) throw new ListenerConfigError('route', "needs a handler for '*'")
  const prefixes = [...known.keys()].filter((key) => key.endsWith('*')).sort((a, b) => b.length - a.length)
  return Object.assign(
    (event: unknown, ...rest: readonly unknown[]) => {
      const type = textOf(event, 'type') ?? ''
      const prefix = prefixes.find((key) => type.startsWith(key.slice(0, -1))) ?? '*'
      const handler = known.get(type) ?? known.get(prefix) ?? fallback
      return handler(event, ...rest)
    },
    { types: [...known.keys()] },
  )
}
