import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const readme = read('README.md')

/** The names in front of a colon, two spaces in, from `opening` to the next line that closes. */
function namesIn(path: string, opening: string): string[] {
  const [, body = ''] = read(path).split(opening)
  const block = body.slice(0, body.indexOf('\n}'))
  return [...block.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, name = '']) => name)
}

describe('the README', () => {
  it('names every reason', () => {
    const reasons = namesIn('src/verdict.ts', 'RejectedStatus>> = {')
    expect(reasons).toHaveLength(19)
    expect(reasons.filter((reason) => !readme.includes(`\`${reason}\``))).toEqual([])
  })

  it.each([
    ['src/listener-options.ts', 'interface ListenerOptions<Payload = Json> {', 15],
    ['adapters/shared/receiver.ts', 'interface ReceiverOptions {', 2],
    ['adapters/hono.ts', 'interface VerifyWebhookOptions extends ReceiverOptions {', 2],
    ['src/auth/remote-key-set.ts', 'interface RemoteKeySetOptions {', 6],
    ['stores/memory.ts', 'interface MemoryStoreOptions {', 4],
  ])('names every option of %s', (path, opening, count) => {
    const options = namesIn(path, opening)
    expect(options).toHaveLength(count)
    expect(options.filter((option) => !readme.includes(`\`${option}`))).toEqual([])
  })
})
