import type { ValueLocation } from '../../src/scheme.ts'

/**
 * What a row's `claimedId` returns, as data: the texts of these places, joined by line feeds, if the last one is there. `'code'` if data
 * cannot say it. A program that reads nothing else finds the same keys: test/oracle/reader.slow.test.ts.
 */
export const CLAIMED_IDS: { readonly [scheme: string]: readonly ValueLocation[] | 'code' } = {
  box: [{ member: '/id' }],
  clickup: [{ member: '/webhook_id' }, { member: '/event' }, { member: '/history_items/0/id' }],
  'google-channels': [{ header: 'x-goog-channel-id' }, { header: 'x-goog-message-number' }],
  'mcp-events': [{ member: '/eventId' }],
  mailgun: 'code', // the time is a number, written as ECMAScript does
  'mercado-pago': 'code',
  pubsub: 'code',
}
