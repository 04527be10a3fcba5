import type { SenderScheme } from '../../code-scheme.ts'
import { callHook } from '../../lib/hooks.ts'

/** The warnings of this process. A host may create a listener for each request. */
const warned = new Set<string>()
const MOST_WARNINGS = 20

/** Warns once. It is no error, because no sender promises the length of its secrets. */
export function warnOfCut(scheme: SenderScheme, place: string, secret: string, usage: string): void {
  const cut = cutShort(secret, scheme.facts?.hexDigits)
  if (cut === undefined) return
  const { sender, secretName } = scheme
  const text = `hookgate: ${usage}: ${place} ${cut}; for ${sender}, pass the ${secretName}`
  if (warned.has(text) || warned.size >= MOST_WARNINGS) return
  warned.add(text)
  callHook(() => console.warn(text)) // a replaced console may throw
}

/** Whether a part of the digits was not copied. Texts that are shorter still, or have other characters, may be secrets of tests. */
export function cutShort(secret: string, hexDigits = 0): string | undefined {
  const missing = hexDigits - secret.length
  if (missing <= 0 || missing > hexDigits / 2 || !/^[0-9a-f]+$/i.test(secret)) return undefined
  return `has ${secret.length} hexadecimal digits, so ${missing === 1 ? 'one is' : `${missing} are`} missing`
}
