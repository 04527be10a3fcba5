import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'

const SCHEMES = new URL('../../src/schemes/', import.meta.url)
const names = readdirSync(SCHEMES).flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -3)] : []))

/** The second type argument of the factory, which is where `event.type` comes from. Undefined: `never`. */
function eventNameOf(file: string): string | undefined {
  const source = readFileSync(new URL(`${file}.ts`, SCHEMES), 'utf8')
  return /: (?:Code)?SchemeFactory<[^'>]+,\s*'([^']+)'\s*[,>]/.exec(source)?.[1]
}

async function rowOf(file: string): Promise<SenderScheme> {
  const exported: Record<string, { readonly scheme: SenderScheme }> = await import(
    `../../src/schemes/${file}.ts`
  )
  const factory = exported[file.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())]
  if (factory === undefined) throw new Error(`schemes/${file}.ts exports no factory of its name`)
  return factory.scheme
}

/** Their types are made of two members, so that no single one narrows the payload. */
const OF_TWO_MEMBERS = ['pipedrive']

describe('the types of a scheme read the event name where its row does', () => {
  it.each(names)('%s', async (file) => {
    const { eventType } = await rowOf(file)
    const place = eventType && ('member' in eventType ? eventType.member : Reflect.get(eventType, 'header'))
    expect(eventNameOf(file)).toBe(OF_TWO_MEMBERS.includes(file) ? undefined : place)
  })
})
