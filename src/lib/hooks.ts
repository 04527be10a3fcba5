/** Calls a hook without waiting. Ignores its errors and rejections: a hook must not change a verdict. */
export function callHook<Given extends readonly unknown[]>(
  hook: ((...given: Given) => unknown) | null | undefined,
  ...given: Given
): void {
  if (hook) void swallowed(hook, given)
}

/** Ignores a value that should not be a promise, but may be one that rejects. */
export function ignoreRejection(value: unknown): void {
  if (typeof value === 'object' && value !== null) callHook(() => value)
}

/** Never rejects. `await` copes with anything that a hook may return, e.g. a thenable whose `then` throws. */
async function swallowed<Given extends readonly unknown[]>(
  hook: (...given: Given) => unknown,
  given: Given,
): Promise<void> {
  try {
    await hook(...given)
  } catch {}
}
