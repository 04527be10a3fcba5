import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SSEStreamingApi } from 'hono/streaming'

const MOST_WATCHERS = 100
/** Proxies cut connections that are silent for about a minute. */
const SILENT_TICKS = 15
const ADMITTED_TICKS = 5
/** How long the browser waits before it connects again. */
const RETRY_MS = 2_000

export interface WatchOptions {
  /** Reads the state once for all streams, and not at all without streams. */
  readonly read: () => Promise<unknown>
  readonly report: (error: unknown) => void
  /** Ends all streams. */
  readonly stopping: AbortSignal
  /** How often the state is read, in milliseconds. Default 1,000. */
  readonly everyMs?: number | undefined
}

/** The version of the state. Equal for equal states. */
export function versionOf(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22)
}

/**
 * Sends browsers the version of the state by server-sent events, at once and on every change. Never sends the state.
 */
export class Watch {
  readonly #options: WatchOptions
  #watchers = 0
  #version: Promise<string> | undefined

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Whether there are too many streams, or the service is stopping. */
  get isClosed(): boolean {
    return this.#watchers >= MOST_WATCHERS || this.#options.stopping.aborted
  }

  /**
   * Sends events until the browser leaves or the service stops.
   *
   * @param isAdmitted Asked every five seconds. The stream ends when its token is revoked or expires.
   */
  async send(stream: SSEStreamingApi, isAdmitted: () => Promise<boolean>): Promise<void> {
    const left = new AbortController()
    stream.onAbort(() => left.abort())
    const { stopping, everyMs = 1_000 } = this.#options
    const over = AbortSignal.any([stopping, left.signal])
    this.#watchers += 1
    try {
      await stream.write(`retry: ${RETRY_MS}\n\n`)
      for (let [tick, sent] = [1, '']; !over.aborted; tick += 1) {
        const version = (await this.#current(everyMs)) ?? sent
        if (version !== sent) await stream.writeSSE({ event: 'version', data: version })
        else if (tick % SILENT_TICKS === 0) await stream.write(': still here\n\n')
        sent = version
        await pause(everyMs, undefined, { signal: over }).catch(() => {})
        if (tick % ADMITTED_TICKS === 0 && !(await this.#known(isAdmitted, true))) return
      }
    } finally {
      this.#watchers -= 1
    }
  }

  /** Undefined while the state cannot be read. */
  #current(everyMs: number): Promise<string | undefined> {
    if (this.#version === undefined) {
      this.#version = this.#options.read().then(versionOf)
      setTimeout(() => {
        this.#version = undefined
      }, everyMs / 2).unref()
    }
    const version = this.#version
    return this.#known<string | undefined>(() => version, undefined)
  }

  /** An outage ends no stream. */
  async #known<Value>(ask: () => Promise<Value>, otherwise: Value): Promise<Value> {
    try {
      return await ask()
    } catch (error) {
      this.#options.report(error)
      return otherwise
    }
  }
}
