export type CheckId =
  | 'runtime'
  | 'secret.shape'
  | 'clock.local'
  | 'clock.receiver'
  | 'store'
  | 'jwks'
  | 'url'
  | 'proxy'
  | 'signature'

/** What a check found. `skip`: it could not run, so nothing is known. */
export interface Finding {
  readonly id: CheckId
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  /** Never contains a secret, or part of one. */
  readonly seen: string
  /** How to fix it. For a `skip`: what the check needs to run. */
  readonly fix?: string
}

export function notesOf(id: CheckId) {
  const noteOf =
    (status: Finding['status']) =>
    (seen: string, fix: string): Finding => ({ id, status, seen, fix })
  return {
    ok: (seen: string): Finding => ({ id, status: 'ok', seen }),
    warn: noteOf('warn'),
    fail: noteOf('fail'),
    skip: noteOf('skip'),
  }
}

/** The checks that need deliveries to `--url`. */
export const OF_THE_URL = ['clock.receiver', 'proxy', 'signature'] as const

export function skipAll(ids: readonly CheckId[], seen: string, fix: string): Finding[] {
  return ids.map((id) => notesOf(id).skip(seen, fix))
}
