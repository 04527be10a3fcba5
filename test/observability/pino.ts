import { subscribe } from 'node:diagnostics_channel'
import type { VerifyFields } from 'hookgate'
import { pino } from 'pino'

export const log = pino()

subscribe('tracing:hookgate:verify:asyncEnd', (message) => {
  const { outcome, reason, error, ...fields } = message as VerifyFields
  if (outcome === 'checked') return // the verdict comes next
  if (outcome === 'undecided')
    log.error({ ...fields, error }, 'webhook undecided')
  else if (outcome !== 'refused') log.info(fields, `webhook ${outcome}`)
  else if (
    reason === 'event_duplicate' ||
    reason === 'event_in_progress'
  )
    log.info(fields, `webhook ${reason}`)
  else log.warn(fields, `webhook ${reason}`)
})
