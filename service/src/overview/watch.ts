import { createHash } from 'node:crypto'

const MOST_WATCHERS = 100
/** Proxies cut connections that are silent for about a minute. */
const SILENT_TICKS = 15

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
  readonly #watchers = new Set<ReadableStreamDefaultController<Uint8Array>>()
  readonly #encoder = new TextEncoder()
  #timer: NodeJS.Timeout | undefined
  #version = ''
  #silentTicks = 0

  constructor(options: WatchOptions) {
    this.#options = options
    options.stopping.addEventListener('abort', () => this.#close())
  }

  /** Opens a stream of events. Undefined if there are too many, or during shutdown. */
  stream(): ReadableStream<Uint8Array> | undefined {
    if (this.#watchers.size >= MOST_WATCHERS || this.#options.stopping.aborted) return undefined
    let own: ReadableStreamDefaultController<Uint8Array>
    return new ReadableStream({
      start: (controller) => {
        own = controller
        this.#watchers.add(own)
        own.enqueue(this.#encoder.encode(`retry: 2000\n\n${this.#event()}`))
        this.#timer ??= setTimeout(() => this.#tick(), 0)
      },
      cancel: () => {
        this.#watchers.delete(own)
      },
    })
  }

  /** Empty before the first read. */
  #event(): string {
    return this.#version === '' ? '' : `event: version\ndata: ${this.#version}\n\n`
  }

  async #tick(): Promise<void> {
    const version = await this.#options.read().then(versionOf, (error: unknown) => {
      this.#options.report(error)
      return this.#version
    })
    const changed = version !== this.#version
    this.#version = version
    this.#silentTicks = changed ? 0 : (this.#silentTicks + 1) % SILENT_TICKS
    if (changed) this.#tell(this.#event())
    else if (this.#silentTicks === 0) this.#tell(': still here\n\n')
    const { everyMs = 1_000 } = this.#options
    this.#timer = this.#watchers.size > 0 ? setTimeout(() => this.#tick(), everyMs).unref() : undefined
    if (this.#timer === undefined) this.#version = ''
  }

  #tell(text: string): void {
    const bytes = this.#encoder.encode(text)
    for (const watcher of this.#watchers) watcher.enqueue(bytes)
  }

  #close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers.clear()
  }
}
