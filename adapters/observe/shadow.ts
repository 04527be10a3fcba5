import { ListenerConfigError } from '../../src/errors.ts'

/** What is called instead of a method. `original` calls the method as its caller did. */
export type StandIn = (original: () => unknown, receiver: unknown, given: readonly unknown[]) => unknown

/** What stands before an own member, or before none. */
interface Shadow {
  readonly before: PropertyDescriptor | undefined
  isOver: boolean
}

/** By the functions that stand before members. */
const shadows = new WeakMap<object, Shadow>()

/**
 * Puts `standIn` before a method of one object, which stays the same object for everything that identifies it by reference.
 * Returns what takes it away again.
 *
 * @throws ListenerConfigError if the object is frozen.
 */
export function shadowMethod(target: object, name: PropertyKey, standIn: StandIn): () => void {
  const method: unknown = Reflect.get(target, name)
  function value(this: unknown, ...given: unknown[]): unknown {
    return standIn(() => callAs(method, this, given), this, given)
  }
  return shadow(target, name, value, { value, writable: true })
}

/** The same for a getter. `look` sees each value. */
export function shadowGetter(target: object, name: PropertyKey, look: (value: unknown) => void): () => void {
  const own = Reflect.getOwnPropertyDescriptor(target, name)
  function get(this: unknown): unknown {
    const holder = own ? Object.defineProperty({}, name, own) : Object.getPrototypeOf(target)
    const value = Reflect.get(holder, name, this)
    look(value)
    return value
  }
  return shadow(target, name, get, { get })
}

/** Calls a member without checking it first, so that a missing method fails as it would without hookgate. */
export function callAs(member: unknown, receiver: unknown, given: readonly unknown[]): unknown {
  return Reflect.apply(member as () => unknown, receiver, given) // if it is not a function, throws a TypeError
}

/** The object whose own member this is: `target`, or a prototype. What shadows it is not counted. */
export function holderOf(target: object, name: PropertyKey): object | undefined {
  for (let holder: object | null = target; holder; holder = Object.getPrototypeOf(holder)) {
    const own = Reflect.getOwnPropertyDescriptor(holder, name)
    if (own && !shadowOf(own)) return holder
  }
  return undefined
}

function shadow(
  target: object,
  name: PropertyKey,
  standIn: object,
  descriptor: PropertyDescriptor,
): () => void {
  const own: Shadow = { before: Reflect.getOwnPropertyDescriptor(target, name), isOver: false }
  if (!Reflect.defineProperty(target, name, { ...descriptor, configurable: true })) throw frozen()
  shadows.set(standIn, own)
  return () => {
    own.isOver = true
    let now = Reflect.getOwnPropertyDescriptor(target, name)
    if (!shadowOf(now)?.isOver) return // something else, perhaps another observer, has wrapped it since
    for (let over = shadowOf(now); over?.isOver; over = shadowOf(now)) now = over.before
    if (now) Reflect.defineProperty(target, name, now)
    else Reflect.deleteProperty(target, name)
  }
}

function shadowOf(member: PropertyDescriptor | undefined): Shadow | undefined {
  return shadows.get(Object(member?.get ?? member?.value))
}

function frozen(): ListenerConfigError {
  const problem = 'is frozen, so observeWebhook cannot see what reads it'
  return new ListenerConfigError('request', `${problem}: mount observeWebhook before it is frozen`)
}
