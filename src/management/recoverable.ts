import { ListenerConfigError } from '../errors.ts'
import type { ManagementApi, Missed } from './api.ts'

/** A sender whose API lists what was missed. */
export type RecoverableApi = ManagementApi & { readonly missed: Missed }

/**
 * Senders whose deliveries are claimed by their signed bytes, which no API of theirs keeps: what it has would run as another event. And
 * those whose API lists no missed events. What to do instead, by the name of the scheme.
 */
const INSTEAD: { readonly [scheme: string]: string } = {
  adyen: 'send them again from the webhook’s log in its Customer Area',
  // Its API lists the events of one payment, and none by time: https://www.checkout.com/docs/workflows/view-events, 2026-11-30
  'checkout-com':
    'resend them from the webhook’s failures in its Dashboard, or ask its API for the events of each payment',
  docusign: 'republish them from its Connect log, and expect them to run again',
  'google-channels': 'list what has changed since then, by its sync token or page token',
  graph: 'ask for what has changed since then, by a delta query',
  hubspot: 'read the objects that matter from its API',
  // `GET /rest/api/3/webhook/failed` has those of OAuth apps, and none of an administrator's webhooks, which the scheme verifies:
  // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-webhooks/, 2026-11-28
  jira: 'search the issues that were updated since then by its API',
  linear: 'read the issues that were updated since then from its API',
  meta: 'read the objects that matter from its Graph API',
  sendgrid: 'read what became of messages from its Email Activity API',
  shopify: 'read the resources that were updated since then from its Admin API',
  twilio: 'read the calls and messages since then from its API',
}

/** Why nothing of a sender can be recovered, and what to do instead. Undefined if it may be, as far as this knows. */
export function whyUnrecoverable(scheme: string): string | undefined {
  const instead = Object.hasOwn(INSTEAD, scheme) ? INSTEAD[scheme] : undefined
  return (
    instead &&
    `events cannot be recovered, because no API of it lists them with what they are claimed by: ${instead}`
  )
}

/** @throws ListenerConfigError if none can be recovered. */
export function recoverableOf(api: ManagementApi): RecoverableApi {
  const { missed } = api
  if (missed !== undefined) return { ...api, missed }
  throw new ListenerConfigError(
    'api',
    `${api.sender}'s ${whyUnrecoverable(api.scheme) ?? 'events cannot be recovered: it lists none'}`,
  )
}
