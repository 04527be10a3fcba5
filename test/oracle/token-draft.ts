import type { KeySetDraft } from './key-sets.ts'
import type { SigningKey } from './signing-keys.ts'

/** A member with its JSON text, because JSON.stringify writes neither `1e400` nor a name twice. */
export type Member = readonly [name: string, json: string]

/** A token before it is signed. */
export interface TokenDraft {
  header: Member[]
  claims: Member[]
  key: SigningKey
  readonly keySet: KeySetDraft
  readonly odd: string[]
}

export function setMember(members: Member[], name: string, json: string): void {
  const at = members.findIndex(([known]) => known === name)
  if (at === -1) members.push([name, json])
  else members[at] = [name, json]
}

export function removeMember(members: Member[], name: string): Member[] {
  return members.filter(([known]) => known !== name)
}

export function memberOf(members: readonly Member[], name: string): string {
  return members.find(([known]) => known === name)?.[1] ?? 'null'
}

export function writeObject(members: readonly Member[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}
