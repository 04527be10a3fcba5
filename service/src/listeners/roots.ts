import type { Queryable, Transaction } from '../database/database.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { type Sealing, sealingWith } from './sealing.ts'

export type RootSecrets = Pick<Dependencies, 'secret' | 'otherSecret'>

/** A root secret that this process has. */
export interface Root {
  readonly secret: string
  /** Names the secret in the database. Reveals nothing of it. */
  readonly fingerprint: Buffer
  readonly sealing: Sealing
}

/** The root secrets of this process, its own first. */
export function rootsOf({ secret, otherSecret }: RootSecrets): readonly Root[] {
  return [secret, otherSecret].filter((each) => each !== undefined).map(rootOf)
}

export function rootOf(secret: string): Root {
  return {
    secret,
    fingerprint: derivedKey(secret, 'fingerprint'),
    sealing: sealingWith(derivedKey(secret, 'signing secrets')),
  }
}

/** Undefined if no root of this process opens it. */
export function openWith(roots: readonly Root[], sealed: Uint8Array, place: string): string | undefined {
  for (const { sealing } of roots) {
    try {
      return sealing.open(sealed, place)
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
export async function currentRoot(tx: Transaction, roots: readonly Root[]): Promise<Root> {
  const named = await namedRoot(tx, 'SHARE')
  const root = roots.find(({ fingerprint }) => named && fingerprint.equals(named))
  if (root === undefined) throw new ForeignRootError()
  return root
}

/** The fingerprint in the database. */
export async function namedRoot(tx: Queryable, lock: 'SHARE' | 'UPDATE'): Promise<Uint8Array | undefined> {
  const [row] = await tx.query<{ fingerprint: Uint8Array }>(`SELECT fingerprint FROM root_secret FOR ${lock}`)
  return row?.fingerprint
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
