import { ERRORS_PAGE } from '../errors.ts'

/** Thrown for a job's data that is not an envelope. */
export class EnvelopeError extends TypeError {
  override readonly name = 'EnvelopeError'
  readonly code = 'ERR_ENVELOPE'
  /** Where the causes and fixes are. */
  readonly help: string = `${ERRORS_PAGE}err_envelope`
}

/** Thrown when two IDs make no job name that every queue takes. */
export class JobIdError extends RangeError {
  override readonly name = 'JobIdError'
  readonly code = 'ERR_JOB_ID'
  /** Where the causes and fixes are. */
  readonly help: string = `${ERRORS_PAGE}err_job_id`
}
