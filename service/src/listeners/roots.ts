import type { Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { open } from './sealing.ts'

export type RootSecrets = Pick<Dependencies, 'secret' | 'otherSecret'>

/** A root secret that this process has. */
export interface Root {
  readonly secret: string
  /** Names the secret in the database. Reveals nothing of it. */
  readonly fingerprint: Buffer
  /** Seals the signing secrets. */
  readonly key: Buffer
}

/** The root secrets of this process, its own first. */
export function rootsOf({ secret, otherSecret }: RootSecrets): readonly [Root, ...Root[]] {
  return [rootOf(secret), ...(otherSecret === undefined ? [] : [rootOf(otherSecret)])]
}

export function rootOf(secret: string): Root {
  return {
    secret,
    fingerprint: derivedKey(secret, 'fingerprint'),
    key: derivedKey(secret, 'signing secrets'),
  }
}

/** The root of this process that has the fingerprint. */
export function rootNamed(roots: readonly Root[], fingerprint: Uint8Array | null): Root | undefined {
  return roots.find((root) => fingerprint !== null && root.fingerprint.equals(fingerprint))
}

/** Undefined if no root of this process opens it. */
export function openWith(roots: readonly Root[], sealed: Uint8Array, place: string): string | undefined {
  for (const { key } of roots) {
    try {
      return open(key, sealed, place)
    } catch {} // authenticated, so it says nothing else than that this root did not seal it
  }
  return undefined
}

/**
 * Finds the root that all replicas seal with, which the database names. It stays until the transaction ends, so a
 * replica that lags behind a rotation seals with the new one too.
 *
 * @throws ForeignRootError if this process does not have it.
 */
export async function currentRoot(
  tx: Transaction,
  roots: readonly Root[],
  lock: 'SHARE' | 'UPDATE' = 'SHARE',
): Promise<Root> {
  const [row] = await tx.query<{ fingerprint: Uint8Array }>(`SELECT fingerprint FROM root_secret FOR ${lock}`)
  const root = row && rootNamed(roots, row.fingerprint)
  if (root === undefined) throw new ForeignRootError()
  return root
}

/** The database is sealed with a root secret that this process lacks. */
export class ForeignRootError extends Error {
  override readonly name = 'ForeignRootError'

  constructor() {
    super(
      'This database is sealed with another root secret, so its signing secrets cannot be decrypted. ' +
        'Set SERVICE_SECRET to the old one, or restore the file `secret` in the data folder. ' +
        'To rotate it, set SERVICE_OTHER_SECRET to the old one as well.',
    )
  }
}
