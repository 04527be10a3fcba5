/** The subject of a check. */
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

/** Makes the findings of one check. */
export interface Notes {
  ok(seen: string): Finding
  warn(seen: string, fix: string): Finding
  fail(seen: string, fix: string): Finding
  skip(seen: string, fix: string): Finding
}

export function notesOf(id: CheckId): Notes {
  return {
    ok: (seen) => ({ id, status: 'ok', seen }),
    warn: (seen, fix) => ({ id, status: 'warn', seen, fix }),
    fail: (seen, fix) => ({ id, status: 'fail', seen, fix }),
    skip: (seen, fix) => ({ id, status: 'skip', seen, fix }),
  }
}
