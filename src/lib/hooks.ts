import { type TracingChannel, tracingChannel } from './tracing.ts'

/** Calls a hook without waiting. Whatever it throws or rejects with stays here: watching must not change a verdict. */
export function callHook<Given extends readonly unknown[]>(
  hook: ((...given: Given) => unknown) | undefined,
  ...given: Given
): void {
  if (hook === undefined) return
  try {
    void Promise.resolve(hook(...given)).catch(() => {})
  } catch {}
}

/** What `verify` decides, for subscribers: docs/observability.md lists the fields. */
export const VERIFY: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('verify')

interface Hooks {
  readonly onVerdict?: unknown
  readonly onError?: unknown
}

/** Whether anybody is told of a verdict. */
export function isWatched({ onVerdict, onError }: Hooks): boolean {
  return Boolean(onVerdict || onError || VERIFY?.hasSubscribers)
}

/** Now, by a clock for durations; 0 where nobody will ask how long it took. */
export function startTime(hooks: Hooks): number {
  return isWatched(hooks) ? performance.now() : 0
}
