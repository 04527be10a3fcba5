/**
 * One event of a typed listener: the name that its sender gives it, if it gives one, and its payload. Only types have it, no value
 * does.
 */
export interface Named<Type extends string | undefined, Payload> {
  /** Never set: the type holds the name and the payload for the compiler. */
  readonly '~named': { readonly type: Type; readonly payload: Payload }
}

/** Carries the types of an authenticator's events. No value has the member. */
export interface EventTypes<Events> {
  /** Never set. What the user says that the sender sends. */
  readonly '~events'?: (() => Events) | undefined
}

/**
 * What the type argument of a scheme's factory must look like. `EventName` is where the sender names the event: a JSON pointer
 * (RFC 6901) if it is a member of the body, otherwise a header, and `never` if the sender does not name it.
 *
 * - A member: the union of the bodies, each of which has the member, or an object on its path that may be missing.
 * - A header: a map from the names to the payloads. The empty name stands for events without one. A payload alone is refused,
 *   because its members are not all objects.
 * - Neither: the body.
 */
export type EventsOf<EventName extends string, Events> = [EventName] extends [never]
  ? unknown
  : EventName extends `/${string}`
    ? BodyWith<EventName>
    : { readonly [Name in keyof Events]: object }

/** A body that has a text at the end of this JSON pointer. A number in it stands for an element of a list. */
type BodyWith<Pointer extends string> = Pointer extends `/${infer Step}/${infer Rest}`
  ? Step extends `${number}`
    ? readonly (BodyWith<`/${Rest}`> | null | undefined)[]
    : { readonly [Name in Step]?: BodyWith<`/${Rest}`> | null | undefined }
  : Pointer extends `/${infer Step}`
    ? { readonly [Name in Step]: string }
    : never

/**
 * The type argument of a factory, and what else its sender may send to the same URL: each of `Others` that no body of the type
 * argument describes.
 */
export type WithOthers<Events, Others> =
  | Events
  | (Others extends unknown ? ([Extract<Events, Others>] extends [never] ? Others : never) : never)

/** The events of a factory's type argument. */
export type NamedEvents<Events, EventName extends string> = [EventName] extends [never]
  ? Events
  : EventName extends `/${string}`
    ? NamedBodies<Events, EventName>
    : {
        [Type in keyof Events & string]: Named<Type extends '' ? undefined : Type, Events[Type]>
      }[keyof Events & string]

/**
 * Leaves out bodies whose name can be any text: they would keep `event.type` from narrowing the others. A body that never has the
 * member is an event without a name.
 */
type NamedBodies<Body, Pointer extends string> = Body extends unknown
  ? NamedBody<TextAt<Body, Pointer>, Body>
  : never

type NamedBody<Type, Body> = [Type] extends [never]
  ? Named<undefined, Body>
  : [Type] extends [string]
    ? string extends Type
      ? never
      : Named<Type, Body>
    : never

type TextAt<Body, Pointer extends string> = Pointer extends `/${infer Step}/${infer Rest}`
  ? Step extends keyof Body
    ? TextAt<NonNullable<Body[Step]>, `/${Rest}`>
    : Step extends `${number}`
      ? Body extends readonly (infer Element)[]
        ? TextAt<NonNullable<Element>, `/${Rest}`>
        : never
      : never
  : Pointer extends `/${infer Step}`
    ? Step extends keyof Body
      ? Body[Step]
      : never
    : never
