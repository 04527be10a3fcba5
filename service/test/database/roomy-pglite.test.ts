import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { onPGlite } from '../../src/database/pglite.ts'
import { RoomyPGlite } from '../../src/database/roomy-pglite.ts'
import { isUnreachable } from '../../src/database/unreachable.ts'

const ENOUGH = 64 * 1_024 * 1_024

// The free space is faked, because a full disk needs a mount. PGlite was tried by hand on a full disk.
it('PGlite pauses while less than 64 MB are free', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-full-'))
  let free = ENOUGH
  const client = new RoomyPGlite(join(folder, 'postgres'), () => free)
  const database = onPGlite(client)
  onTestFinished(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const asked = [
    () => database.query('SELECT'),
    () => database.transaction((tx) => tx.query('SELECT')),
    () => client.exec('SELECT'),
  ]
  const answers = async () =>
    (await Promise.allSettled(asked.map((ask) => ask()))).map(({ status }) => status)
  expect(await answers()).toEqual(asked.map(() => 'fulfilled'))
  free = ENOUGH - 1
  expect(await answers()).toEqual(asked.map(() => 'rejected'))
  const error = await database.query('SELECT').catch((error) => error)
  expect(String(error)).toMatch(/less than 64 MB are free for \S+, and PGlite hangs/)
  expect(isUnreachable(error)).toBe(true) // which gets a 503
  free = ENOUGH
  expect(await answers()).toEqual(asked.map(() => 'fulfilled'))
}, 60_000)
