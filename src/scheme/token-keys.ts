import type { NamedSecret } from '../auth/secrets.ts'
import { sameText } from './same-text.ts'

/** The ID of the secret that was sent. Compares every secret, so the timing does not reveal which one matched. */
export function holderOf(secrets: readonly NamedSecret[], given: string): string | undefined {
  const matches = secrets.map(({ secret }) => sameText(given, secret))
  return secrets[matches.indexOf(true)]?.id
}
