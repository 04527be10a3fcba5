import { withDeadline } from '../../../src/lib/clock.ts'
import { textOf } from '../../../src/lib/member-of.ts'

/** What a check found. `skip`: it could not run, so nothing is known. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  /** Never contains a secret, or part of one. */
  readonly seen: string
  /** How to fix it. For a `skip`: what the check needs to run. */
  readonly fix?: string
}

export const ok = (seen: string): Finding => ({ status: 'ok', seen })
export const warn = (seen: string, fix: string): Finding => ({ status: 'warn', seen, fix })
export const fail = (seen: string, fix: string): Finding => ({ status: 'fail', seen, fix })
export const skip = (seen: string, fix: string): Finding => ({ status: 'skip', seen, fix })

/** What a delivery to `--url` shows. */
export interface UrlFindings {
  readonly 'clock.receiver': readonly Finding[]
  readonly proxy: readonly Finding[]
  readonly signature: readonly Finding[]
}

export function skipped(seen: string, fix: string): UrlFindings {
  const findings = [skip(seen, fix)]
  return { 'clock.receiver': findings, proxy: findings, signature: findings }
}

/** Skips a check that throws, or takes too long. */
export function within<Found>(
  deadlineMs: number,
  work: Promise<Found>,
  otherwise: (seen: string, fix: string) => Found,
): Promise<Found> {
  const late = () => new Error('late')
  return withDeadline(work, deadlineMs, late).catch((error: unknown) => {
    const why = textOf(error, 'message') === 'late' ? 'no answer in time' : textOf(error, 'name')
    return otherwise(`could not be checked (${why})`, 'try again')
  })
}
