import { subscribe } from 'node:diagnostics_channel'
import type { VerifyFields } from 'hookgate'
import { createLogger, format, transports } from 'winston'

export const log = createLogger({
  format: format.combine(format.timestamp(), format.json()),
  transports: [new transports.Console()],
})

function levelOf({
  outcome,
  reason,
}: VerifyFields): 'info' | 'warn' | 'error' {
  if (outcome === 'undecided') return 'error'
  if (
    outcome !== 'refused' ||
    reason === 'event_duplicate' ||
    reason === 'event_in_progress'
  )
    return 'info'
  return 'warn'
}

subscribe('tracing:hookgate:verify:asyncEnd', (message) => {
  const fields = message as VerifyFields
  if (fields.outcome === 'checked') return // the verdict comes next
  log.log(
    levelOf(fields),
    `webhook ${fields.reason ?? fields.outcome}`,
    fields,
  )
})
