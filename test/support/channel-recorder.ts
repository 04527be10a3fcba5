import { tracingChannel } from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'

/** An event of one operation, with its fields at that time. */
export interface Moment {
  readonly at: 'start' | 'error' | 'asyncEnd'
  readonly fields: { readonly [name: string]: unknown }
}

/** Records what a subscriber of `hookgate:<name>` receives until the test ends. */
export function recordChannel(name: 'verify' | 'store' | 'keys' | 'inbox'): readonly Moment[] {
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
