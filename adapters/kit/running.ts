import type { Lease } from '../../src/claim.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { memberOf } from '../../src/lib/member-of.ts'

/** Starts a timer, like `setTimeout`. */
type StartTimer = (callback: () => void, milliseconds: number) => unknown

/**
 * The leases of running handlers. A set, because most handlers end before anything looks at them: all that these cost is `add` and
 * `delete`. One timer looks after all leases. Where requests may not share one, each lease has its own.
 */
export class Running extends Set<Lease> {
  /** When the shared timer fires, by the monotonic clock. Infinity if there is none. */
  dueAt: number = Infinity
  readonly #clock: Clock
  readonly #startTimer: StartTimer
  readonly #isShared: boolean
  /** The timer that counts: one that fires too late for a shorter lease is succeeded by another. */
  #current: object = {}

  constructor(
    clock: Clock = performance,
    startTimer: StartTimer = startUnreferenced,
    isShared: boolean = sharesTimers(),
  ) {
    super()
    this.#clock = clock
    this.#startTimer = startTimer
    this.#isShared = isShared
  }

  /** Starts a timer for a lease that has been added, and is to be looked at before `dueAt`. */
  watch(lease: Lease): void {
    if (this.#isShared) this.#lookIn(lease.beatMs)
    else this.#startTimer(() => this.#lookAt(lease), lease.beatMs)
  }

  #lookIn(milliseconds: number): void {
    const timer = {}
    this.#current = timer
    this.dueAt = this.#clock.now() + milliseconds
    this.#startTimer(() => {
      if (timer === this.#current) this.#look()
    }, milliseconds)
  }

  #look(): void {
    this.dueAt = Infinity
    let next = Infinity
    for (const lease of this) {
      if (lease.beat()) next = Math.min(next, lease.beatMs)
      else this.delete(lease)
    }
    if (this.size > 0) this.#lookIn(next)
  }

  #lookAt(lease: Lease): void {
    if (!this.has(lease)) return
    if (lease.beat()) this.watch(lease)
    else this.delete(lease)
  }
}

/** Runs a function in the context in which this module was loaded. */
type InContext = <Result>(run: () => Result) => Result

/**
 * Outside of every request: otherwise, the first request's `AsyncLocalStorage` would be kept for as long as any handler runs, and its
 * trace would get the renewals of all.
 */
const outside: InContext = /* @__PURE__ */ contextHere() ?? ((run) => run())

function contextHere(): InContext | undefined {
  const { process } = globalThis as {
    readonly process?: {
      getBuiltinModule?(name: string): { AsyncLocalStorage: { snapshot?(): InContext } } | undefined
    }
  } // not every runtime has one
  return process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage.snapshot?.()
}

/** As it was at the beginning: the fake timers of a test would keep this one from firing, after the test too. */
const startReal: typeof setTimeout = setTimeout

/** A timer that does not keep the process alive. */
function startUnreferenced(callback: () => void, milliseconds: number): void {
  const timer: unknown = outside(() => startReal(callback, milliseconds))
  const unref = memberOf(timer, 'unref') // Node and Bun
  if (typeof unref === 'function') return void Reflect.apply(unref, timer, [])
  const unrefTimer = memberOf(memberOf(globalThis, 'Deno'), 'unrefTimer')
  if (typeof unrefTimer === 'function') Reflect.apply(unrefTimer, undefined, [timer])
}

/**
 * Whether one timer may serve all requests. On Workers, a timer ends with the request that started it, and may not use what another
 * request has opened. Runtimes that are not known may be the same.
 */
function sharesTimers(): boolean {
  if (memberOf(globalThis, 'WebSocketPair') !== undefined) return false // Workers, which imitate Node in part
  const versions = memberOf(memberOf(globalThis, 'process'), 'versions')
  return memberOf(versions, 'node') !== undefined || memberOf(globalThis, 'Deno') !== undefined
}

/** The leases of this process. */
export const running: Running = /* @__PURE__ */ new Running()
