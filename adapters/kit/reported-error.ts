import { ERRORS_PAGE } from '../../src/errors.ts'

/** Reported to `onError`, never thrown. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError'
  readonly code: 'ERR_NO_ANSWER' | 'ERR_REDIRECTED' | 'ERR_TOO_MANY_BODIES'
  /** A link to the causes and fixes. */
  readonly help: string

  constructor(code: ReportedError['code'], message: string) {
    super(message)
    this.code = code
    this.help = `${ERRORS_PAGE}${code.toLowerCase()}`
  }
}
