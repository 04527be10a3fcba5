import { open, realpath, rename, rm } from 'node:fs/promises'
import { parseJson } from '../../src/lib/json.ts'
import { renew as renewAll } from '../../src/management/renew.ts'
import type { Channel, KeptChannel } from '../../src/management/renew-channel.ts'
import type { Renewed } from '../../src/management/renewed.ts'
import { bounded } from '../../src/told.ts'
import { type Command, defineCommand, type OptionRows, type ValuesOf } from '../command-line/command.ts'
import { EXIT, UsageError } from '../command-line/exit.ts'
import { print, remark, toJsonLine } from '../command-line/output.ts'
import { readGivenFile, toUsageError } from '../command-line/values.ts'
import { API_OPTIONS, answered, readSenderApi } from '../lib/sender-api.ts'
import { needText } from '../signing/secrets.ts'

const { mode: _, ...WITHOUT_MODE } = API_OPTIONS

const OPTIONS = {
  scheme: { value: 'NAME', says: 'The sender: graph, jira or google-channels' },
  url: { value: 'URL', says: 'Your endpoint, as the subscriptions have it' },
  run: { says: 'Renew what is due; without it, only list it' },
  ...WITHOUT_MODE,
  'channel-file': {
    value: 'FILE',
    says: "Google's channel, which no API lists: the JSON that watch has answered; the new one takes its place",
  },
  'secret-file': {
    value: 'FILE',
    says: "The file with the channel's token, as it was passed to watch (default: HOOKGATE_SECRET)",
  },
  json: { says: 'Print one line of JSON: subscriptions of id, state, until, why' },
} satisfies OptionRows

export const renew: Command = defineCommand({
  name: 'renew',
  summary: 'renew subscriptions that end by themselves',
  meant: '--scheme NAME --url URL',
  options: OPTIONS,
  notes: [
    'Renews the subscriptions at --url that are past half of their life, and creates none. Run it regularly. Exits with 1 if there is none at --url, or if one could not be renewed.',
    'A channel of Google is watched again, kept in its file, and then stopped.',
  ],
  examples: [
    'hookgate renew --scheme graph --url https://example.com/webhooks/graph --run',
    'hookgate renew --scheme jira --of cloudId=11223344-… --url https://… --token-file token.txt --run',
    'hookgate renew --scheme google-channels --of calendar=primary --url https://… --channel-file channel.json --run',
  ],
  async run(given) {
    const { api, token, url } = await readSenderApi(given)
    const channel = await channelIn(given)
    const renewing = renewAll({ api, token, url, channel, run: given.run ?? false })
    const subscriptions = await answered(renewing).catch((error: unknown) => {
      throw toUsageError(error, channel ? '--channel-file' : '--scheme')
    })
    if (given.json) print(toJsonLine({ subscriptions: subscriptions.map(jsonOf) }))
    else for (const each of subscriptions) print(lineOf(each))
    if (subscriptions.some(({ state }) => state === 'due')) remark('Nothing was renewed: add --run.')
    return subscriptions.some(({ state }) => state === 'failed') ? EXIT.refused : EXIT.done
  },
})

const jsonOf = ({ until, why, ...each }: Renewed) => ({ ...each, until: until ?? null, why: why ?? null })

const lineOf = ({ id, state, until, why }: Renewed) =>
  `${state.padEnd(7)}  ${bounded(id)}  until ${until?.toISOString() ?? 'an unknown time'}${why ? `: ${bounded(why)}` : ''}`

async function channelIn({
  'channel-file': file,
  'secret-file': secretFile,
}: ValuesOf<typeof OPTIONS>): Promise<KeptChannel | undefined> {
  if (file === undefined) {
    if (secretFile !== undefined) throw new UsageError('--secret-file needs --channel-file')
    return undefined
  }
  const parsed = parseJson(await readGivenFile('--channel-file', file))
  if ('problem' in parsed)
    throw new UsageError(`--channel-file ${file}: must have the JSON that watch has answered`)
  const secret = await needText(secretFile, "the channel's token")
  return {
    kept: parsed.value as unknown as Channel,
    secret,
    keep: (next) => replaceFile(file, `${JSON.stringify(next)}\n`),
  } // renew checks it
}

/** Whole or not at all: a channel that is lost cannot be stopped. */
async function replaceFile(file: string, text: string): Promise<void> {
  const target = await realpath(file)
  const written = `${target}.${crypto.randomUUID()}`
  const handle = await open(written, 'wx', 0o600)
  try {
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(written, target)
  } catch (error) {
    await rm(written, { force: true }).catch(() => {}) // it has the channel's token
    throw error
  }
}
