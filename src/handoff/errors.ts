import { ERRORS_PAGE } from '../errors.ts'

/** Thrown if a job's data is not an envelope. */
export class EnvelopeError extends TypeError {
  override readonly name = 'EnvelopeError'
  readonly code = 'ERR_ENVELOPE'
  /** A link to the causes and fixes. */
  readonly help: string = `${ERRORS_PAGE}err_envelope`
}

/** Thrown if the IDs do not give a job name that every queue accepts. */
export class JobIdError extends RangeError {
  override readonly name = 'JobIdError'
  readonly code = 'ERR_JOB_ID'
  /** A link to the causes and fixes. */
  readonly help: string = `${ERRORS_PAGE}err_job_id`
}
