import { printable } from '../command-line/output.ts'
import type { ListenAuth } from './auth.ts'

export interface Greeting {
  readonly url: string
  readonly auth: ListenAuth
  /** How to print the store. Undefined for the memory store. */
  readonly store: string | undefined
  readonly forwardTo: URL | undefined
  /** The page of `--ui`, with its token. */
  readonly inspector: string | undefined
}

/** Says where `listen` listens, once it is ready. */
export function greet(
  { url, auth, store, forwardTo, inspector }: Greeting,
  say: (line: string) => void,
): void {
  say(`Listening on ${url}`)
  say(auth.remark)
  if (store !== undefined) say(`Events are remembered in ${printable(store)}`)
  if (forwardTo !== undefined) say(`Verified events go to ${forwardTo.href}`)
  if (inspector !== undefined) say(`Inspector: ${inspector}`)
  say('')
  const command = auth.sendCommand(url)
  if (command === undefined) {
    say('Next, have the sender call that URL.')
  } else {
    say('Next, in another terminal:')
    say(`  ${command} --data '{"hello":"world"}'`)
  }
  say('')
}
