import { print, printable, remark, toJsonLine } from '../command-line/output.ts'
import { type DeliveryLine, formatDelivery, HEADER } from './delivery-line.ts'
import { prettyJson } from './pretty-json.ts'
import type { DeliveryReport } from './report.ts'

export interface LogOptions {
  readonly json?: boolean
  readonly body?: boolean
  readonly explain?: boolean
}

/** What `listen` prints while it runs. */
export interface TerminalLog {
  tell(report: DeliveryReport): void
  /** The last line: how many deliveries were finished after Ctrl-C, and how many came altogether. */
  summary(finished: number): string
}

export function terminalLog({ json = false, body = false, explain = false }: LogOptions): TerminalLog {
  const counts = new Map<DeliveryLine['verdict'], number>()
  let needsHeader = !json && process.stdout.isTTY === true
  return {
    tell({ line, verdict }) {
      counts.set(line.verdict, (counts.get(line.verdict) ?? 0) + 1)
      if (needsHeader) print(HEADER)
      needsHeader = false
      // Only verified payloads: otherwise a stranger could fill the screen.
      const payload = body && verdict?.ok ? Buffer.from(verdict.event.rawBody).toString('utf8') : undefined
      if (json && body) print(toJsonLine({ ...line, body: payload ?? null }))
      else print(formatDelivery(line, json))
      if (!json && payload !== undefined) print(indented(payload))
      if (explain && verdict?.ok === false && verdict.detail) remark(`  ${printable(verdict.detail)}`)
    },
    summary: (finished) =>
      `${finished > 0 ? `finished ${finished} in flight` : 'stopped'}; received ${received(counts)}`,
  }
}

function received(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return 'no deliveries'
  const parts = [...counts].map(([verdict, count]) => `${count} ${verdict}`)
  return `${total} ${total === 1 ? 'delivery' : 'deliveries'}: ${parts.join(', ')}`
}

function indented(payload: string): string {
  const text = isJson(payload) ? prettyJson(payload) : payload
  return printable(text).replace(/^/gm, '  ')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
