import { memberOf } from './member-of.ts'

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
export function startUnreferenced(callback: () => void, milliseconds: number): void {
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
export function sharesTimers(): boolean {
  if (memberOf(globalThis, 'WebSocketPair') !== undefined) return false // Workers, which imitate Node in part
  const versions = memberOf(memberOf(globalThis, 'process'), 'versions')
  return memberOf(versions, 'node') !== undefined || memberOf(globalThis, 'Deno') !== undefined
}
