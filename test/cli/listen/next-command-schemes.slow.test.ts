import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { PRIVATE_KEY_FILE } from '../../../cli/signing/key-files.ts'
import { allSchemes, canSign, usesUrl } from '../../../cli/signing/schemes.ts'
import { partOf } from '../../support/part.ts'
import { senderOf } from '../../support/sender-keys.ts'
import { shell, startListener, temporaryDirectory } from '../support.ts'

const PUBLIC_URL = 'https://receiver.example/hooks?id=%2F1'
/** Every second one has its secret in a file. The others have it in HOOKGATE_SECRET, and a public URL if they sign it. */
const signable = (await allSchemes())
  .filter(canSign)
  .map(
    (factory, index) =>
      [factory.scheme.name, index % 2 === 0 ? 'a file' : 'HOOKGATE_SECRET', factory] as const,
  )
  .filter((_, index) => index % 6 === partOf(6, inject('seed')))

describe('the next command that listen prints', () => {
  it.each(signable)('runs as it is printed for %s, with the secret in %s', async (name, place, factory) => {
    const cwd = await temporaryDirectory()
    const { options, keys, privateKey } = await senderOf(factory, PUBLIC_URL)
    const secret = `${options.publicKeys ?? options.secrets}`
    if (privateKey) await writeFile(join(cwd, PRIVATE_KEY_FILE), JSON.stringify(privateKey))
    const args = ['--scheme', name, ...(keys.keyId === undefined ? [] : ['--key-id', keys.keyId])]
    const env: NodeJS.ProcessEnv = {}
    if (place === 'a file') {
      await writeFile(join(cwd, '-a secret.txt'), secret)
      args.push('--secret-file=-a secret.txt')
    } else {
      env.HOOKGATE_SECRET = secret
      args.push('--path', '/hooks', ...(usesUrl(factory) ? ['--public-url', PUBLIC_URL] : []))
    }
    const listener = await startListener(args, { cwd, env })
    expect(await shell(listener.command, { cwd, env }), listener.command).toMatchObject({ code: 0 })
    expect((await listener.deliveries(1)).join()).toMatch(/ accepted /)
    await listener.stop()
  })
})
