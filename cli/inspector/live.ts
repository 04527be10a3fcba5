import type { ServerResponse } from 'node:http'

const FLUSH_MS = 20
const MOST_TABS = 4
/** A tab that falls this far behind is disconnected. It starts over when it reconnects. */
const MOST_UNREAD_BYTES = 4 * 2 ** 20

/** The open tabs. Sends rows in batches, and serializes each batch once. */
export class Live {
  readonly #tabs = new Set<ServerResponse>()
  #waiting: object[] = []
  #timer: NodeJS.Timeout | undefined

  /** Disconnects the oldest tab if there are too many: browsers open only six connections per host. */
  join(response: ServerResponse, hello: object, rows: readonly object[]): void {
    const [oldest] = this.#tabs
    if (oldest && this.#tabs.size >= MOST_TABS) {
      this.#tabs.delete(oldest)
      oldest.end(frame('elsewhere', {}))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(frame('hello', hello) + frame('rows', rows))
    this.#flush()
    this.#tabs.add(response)
    response.once('close', () => this.#tabs.delete(response))
  }

  /** @param row Called only if a tab is open. */
  push(row: () => object): void {
    if (this.#tabs.size === 0) return
    this.#waiting.push(row())
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
  }

  /** Empties every tab. */
  clear(): void {
    this.#flush()
    for (const tab of this.#tabs) tab.write(frame('cleared', {}))
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const tab of this.#tabs) tab.end()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const rows = this.#waiting
    this.#waiting = []
    if (rows.length === 0) return
    const text = frame('rows', rows)
    for (const tab of this.#tabs) {
      if (tab.writableLength > MOST_UNREAD_BYTES) tab.destroy()
      else tab.write(text)
    }
  }
}

/** `JSON.stringify` writes no line breaks, so one line of data is enough. */
function frame(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`
}
