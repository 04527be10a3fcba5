/** Calls a hook without waiting. Ignores its errors and rejections: a hook must not change a verdict. */
export function callHook<Given extends readonly unknown[]>(
  hook: ((...given: Given) => unknown) | null | undefined,
  ...given: Given
): void {
  if (!hook) return
  try {
    void Promise.resolve(hook(...given)).catch(() => {})
  } catch {}
}
