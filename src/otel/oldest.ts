import type { Meter, ObservableResult } from '@opentelemetry/api'

/** What an inbox says of its first job of each listener that is due. */
export interface AskedInbox {
  oldest(): Promise<readonly { readonly listener: string; readonly dueForMs: number }[]>
}

/**
 * Reports how long the oldest waiting job of each listener has been due, at each collection. Of a listener that had one, zero from then on:
 * an alert ends. Nothing while the database is away.
 *
 * @returns A function that stops reporting.
 */
export function observeOldest(meter: Meter, inbox: AskedInbox): () => void {
  const gauge = meter.createObservableGauge('hookgate.inbox.oldest', {
    unit: 's',
    description: 'How long the oldest waiting job has been due',
  })
  const known = new Set<string>()
  let asking: ReturnType<AskedInbox['oldest']> | undefined
  const report = async (result: ObservableResult) => {
    asking ??= ask(inbox) // once, however many readers collect, and however slow the database is
    const jobs = await asking.catch(() => undefined).finally(() => (asking = undefined))
    if (jobs === undefined) return
    const dueFor = new Map(jobs.map(({ listener, dueForMs }) => [listener, dueForMs]))
    for (const listener of dueFor.keys()) known.add(listener)
    for (const listener of known)
      result.observe((dueFor.get(listener) ?? 0) / 1000, { 'hookgate.listener.id': listener })
  }
  gauge.addCallback(report)
  return () => gauge.removeCallback(report)
}

const ask = async (inbox: AskedInbox) => inbox.oldest()
