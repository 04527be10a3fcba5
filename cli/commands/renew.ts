import { type Renewed, renew as renewAll } from '../../src/management/renew.ts'
import { bounded } from '../../src/told.ts'
import { type Command, defineCommand, type OptionRows } from '../command-line/command.ts'
import { EXIT } from '../command-line/exit.ts'
import { print, remark, toJsonLine } from '../command-line/output.ts'
import { toUsageError } from '../command-line/values.ts'
import { API_OPTIONS, answered, readSenderApi } from '../lib/sender-api.ts'

const { mode: _, ...WITHOUT_MODE } = API_OPTIONS

const OPTIONS = {
  scheme: { value: 'NAME', says: 'The sender: graph or jira' },
  url: { value: 'URL', says: 'Your endpoint, as the subscriptions have it' },
  run: { says: 'Renew what is due; without it, only list it' },
  ...WITHOUT_MODE,
  json: { says: 'Print one line of JSON: subscriptions of id, state, until, why' },
} satisfies OptionRows

export const renew: Command = defineCommand({
  name: 'renew',
  summary: 'renew subscriptions that end by themselves',
  meant: '--scheme NAME --url URL',
  options: OPTIONS,
  notes: [
    'Renews the subscriptions at --url that are past half of their life, and creates none. Run it regularly. Exits with 1 if there is none at --url, or if one could not be renewed.',
  ],
  examples: [
    'hookgate renew --scheme graph --url https://example.com/webhooks/graph --run',
    'hookgate renew --scheme jira --of cloudId=11223344-… --url https://… --token-file token.txt --run',
  ],
  async run(given) {
    const { api, token, url } = await readSenderApi(given)
    const subscriptions = await answered(renewAll({ api, token, url, run: given.run ?? false })).catch(
      (error: unknown) => {
        throw toUsageError(error, '--scheme')
      },
    )
    if (given.json) print(toJsonLine({ subscriptions: subscriptions.map(jsonOf) }))
    else for (const each of subscriptions) print(lineOf(each))
    if (subscriptions.some(({ state }) => state === 'due')) remark('Nothing was renewed: add --run.')
    return subscriptions.some(({ state }) => state === 'failed') ? EXIT.refused : EXIT.done
  },
})

const jsonOf = ({ until, why, ...each }: Renewed) => ({ ...each, until: until ?? null, why: why ?? null })

const lineOf = ({ id, state, until, why }: Renewed) =>
  `${state.padEnd(7)}  ${bounded(id)}  until ${until?.toISOString() ?? 'an unknown time'}${why ? `: ${bounded(why)}` : ''}`
