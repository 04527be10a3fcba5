import type { ServerResponse } from 'node:http'

const FLUSH_MS = 20
const MOST_TABS = 4
/** A tab that does not read: it is cut off, and begins anew when it reads again. */
const MOST_UNREAD_BYTES = 4 * 2 ** 20

/** The tabs that watch. Rows go out in batches, each turned into text once. */
export class Live {
  readonly #tabs = new Set<ServerResponse>()
  #waiting: object[] = []
  #timer: NodeJS.Timeout | undefined

  /** Six connections a host is all that a browser opens, so the oldest tab makes room for a fifth. */
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

  /** @param row Is asked for only while somebody watches. */
  tell(row: () => object): void {
    if (this.#tabs.size === 0) return
    this.#waiting.push(row())
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
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

/** JSON has no line breaks of its own, so a frame is one line of data. */
function frame(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`
}
