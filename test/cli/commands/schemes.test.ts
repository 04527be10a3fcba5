import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { runCommand } from '../shared-process.ts'

const FILE: {
  readonly schemes: readonly { readonly name: string }[]
  readonly withoutScheme: readonly object[]
} = createRequire(import.meta.url)('hookgate/schemes.json')

test('hookgate schemes lists each sender once, in lines of at most 80 characters', async () => {
  const { code, stdout, stderr } = await runCommand(['schemes'])
  const [head, ...lines] = stdout.trimEnd().split('\n')
  expect(code).toBe(0)
  expect(head).toMatch(/^NAME +SIGNED +DEDUPLICATED BY +RETRIES FOR$/)
  expect(lines.map((line) => line.split(' ')[0])).toEqual(FILE.schemes.map(({ name }) => name))
  expect(lines.find((line) => line.startsWith('stripe '))).toMatch(/^stripe +body +ID +3 d$/)
  expect(lines.find((line) => line.startsWith('github '))).toMatch(/^github +body +\S.* +never$/)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(stderr).toContain(`${FILE.withoutScheme.length} more senders have no scheme`)
})

test.each([
  [
    'stripe',
    /^stripe\n {2}sender +Stripe\n {2}secret +signing secret of the endpoint(?:.|\n)*\n {2}retries +less and less often/,
  ],
  ['STRIPE', /^stripe\n/],
  ['squarespace', /^acuity\n {2}sender +Acuity Scheduling, Squarespace Scheduling$/m],
  ['beehiiv', /^Beehiiv\n {2}How it signs is not confirmed\. /],
])('hookgate schemes %s shows the sender in full', async (word, shown) => {
  expect(await runCommand(['schemes', word])).toMatchObject({ code: 0, stdout: expect.stringMatching(shown) })
})

test('hookgate schemes suggests the nearest name for a sender that it does not know, and repeats no control character', async () => {
  expect(await runCommand(['schemes', 'stirpe'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'hookgate schemes: no sender is called stirpe; did you mean stripe?\n',
  })
  expect((await runCommand(['schemes', '\u001b[2J'])).stderr).not.toContain('\u001b')
})

test('hookgate schemes --json prints the rows of schemes.json, one a line', async () => {
  const { stdout } = await runCommand(['schemes', '--json'])
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows).toEqual([...FILE.schemes, ...FILE.withoutScheme])
})
