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

/** Now, by a clock for durations; 0 where no hook will ask how long it took. */
export function startTime({
  onVerdict,
  onError,
}: {
  readonly onVerdict?: unknown
  readonly onError?: unknown
}): number {
  return onVerdict === undefined && onError === undefined ? 0 : performance.now()
}
