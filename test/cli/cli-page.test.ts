import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../cli/commands.ts'
import { formatDelivery, headerLine } from '../../cli/listen/terminal.ts'

const page = () => readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8')

test('docs/cli.md names every command', async () => {
  const text = await page()
  for (const name of Object.keys(COMMANDS)) expect(text).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|`, 'm'))
})

test('docs/cli.md shows lines as they are printed', async () => {
  const line = formatDelivery(
    {
      time: '2026-11-22T17:04:59.120Z',
      listener: 'demo',
      eventId: '7d444840-9dc0-4c1d-8d7e-1f5a8f5b2b6a',
      eventType: null,
      unsigned: [],
      verdict: 'accepted',
      reason: null,
      status: 200,
      ms: 3.2,
    },
    { columns: 80, hasTypes: false },
  )
  expect(await page()).toContain(`\n${headerLine({ columns: 80, hasTypes: false })}\n${line}\n`)
})
