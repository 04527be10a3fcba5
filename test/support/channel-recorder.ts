import { tracingChannel } from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'

/** One moment of one operation, with the fields that it had then. */
export interface Moment {
  readonly at: 'start' | 'error' | 'asyncEnd'
  readonly fields: { readonly [name: string]: unknown }
}

/** What a subscriber of `hookgate:<name>` is told until the test is over. */
export function recordChannel(name: 'verify' | 'store' | 'keys'): readonly Moment[] {
  const moments: Moment[] = []
  const note = (at: Moment['at']) => (fields: object) => void moments.push({ at, fields: { ...fields } })
  const ignored = () => {}
  const subscribers = {
    start: note('start'),
    end: ignored,
    asyncStart: ignored,
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  }
  const channel = tracingChannel(`hookgate:${name}`)
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))
  return moments
}

/** The fields at the end of each operation. */
export function endsOf(moments: readonly Moment[]): Moment['fields'][] {
  return moments.filter(({ at }) => at === 'asyncEnd').map(({ fields }) => fields)
}
