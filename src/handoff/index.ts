/** The public surface of `hookgate/handoff`. */
export { type Envelope, type EnvelopeAuth, toEnvelope } from './envelope.ts'
export { fromEnvelope, type HandedOffEvent } from './from-envelope.ts'
export { jobId, jobUuid } from './job-id.ts'
