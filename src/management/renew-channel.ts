import { ListenerConfigError } from '../errors.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { isA, textOf } from '../lib/member-of.ts'
import { kindOf } from '../lib/options.ts'
import { told } from '../told.ts'
import type { Renewal } from './api.ts'
import type { Client } from './client.ts'
import { ManagementError } from './errors.ts'
import { textAt } from './json-parts.ts'
import { lifeOf, type Renewed, timeAt } from './renewed.ts'

/** What Google answers to `watch`. */
export interface Channel {
  /** The channel's ID. */
  readonly id: string
  /** The ID of what it watches. */
  readonly resourceId: string
  /** When it ends, in milliseconds since 1970. */
  readonly expiration: string | number
  /** The URL of what it watches. Needed for the changes of a Google Drive. */
  readonly resourceUri?: string
  readonly [member: string]: unknown
}

/** A channel that no API lists, so that your own code keeps it. */
export interface KeptChannel {
  /** What `watch` has answered. */
  readonly kept: Channel
  /** The `token` of `watch`, which your endpoint verifies. It must be that of `kept`, if that has one. */
  readonly secret: string
  /** Keeps the channel that takes the place of `kept`, before that is stopped. If it throws, the new one is stopped. */
  readonly keep: (channel: Channel) => unknown
}

/**
 * Watches again, lets the caller keep the new channel, and stops the old one. Killed in between, two channels tell of the same changes until
 * the older one ends.
 */
export async function renewChannel(
  client: Client,
  { kept, secret, keep }: KeptChannel,
  renewal: Renewal,
  { run, now, url }: { readonly run: boolean; readonly now: number; readonly url: string },
): Promise<Renewed> {
  const item = encodeUtf8(JSON.stringify(kept))
  const { id } = kept
  const until = timeAt(item, renewal.expires)
  const failed = (why: string): Renewed => ({ id, state: 'failed', until, why })
  const lifeMs = lifeOf(item, renewal)
  const { replaces } = renewal
  if (until === undefined || lifeMs === undefined || replaces === undefined)
    return failed('it does not say when it ends')
  if (until.getTime() <= now)
    return failed('it has ended: watch again in your own code, and read what has changed since')
  if (typeof kept.token === 'string' && kept.token !== secret)
    return failed(
      'the secret is not the token of this channel: pass the one that you gave to watch (to the command, by --secret-file), or watch again in your own code to change it',
    )
  if (until.getTime() - now > lifeMs / 2) return { id, state: 'early', until }
  if (!run) return { id, state: 'due', until }
  const stop = async (channel: Uint8Array) => {
    const values = { hook: textAt(channel, '/id'), resource: textAt(channel, replaces.resource) }
    await client.call(replaces.stop, values).catch(() => {}) // it ends by itself
  }
  try {
    const next = crypto.randomUUID()
    const values = { next, url, secret, untilMs: `${now + lifeMs}` }
    const answer = await client.call(renewal.call, values)
    const renewed = timeAt(answer, renewal.renewed)
    const resourceId = textAt(answer, replaces.resource)
    if (textAt(answer, '/id') !== next || resourceId === '')
      return failed('the sender answered, but named no channel')
    const refuse = async (why: string) => {
      await stop(answer)
      return failed(why)
    }
    if (renewed === undefined || renewed <= until)
      return await refuse('the sender answered, but did not make it last longer')
    const watched = watchedOf(item, replaces.watches)
    if (watched === undefined || watched !== watchedOf(answer, replaces.watches))
      return await refuse(
        'it watches something else than the API is told to, or does not say what, so it was left alone: keep all that watch has answered, and pass the api that it was made with',
      )
    try {
      await keep({ ...parsed(answer), id: next, resourceId, expiration: renewed.getTime() })
    } catch (error) {
      return await refuse(`keep() failed: ${told(error)}`)
    }
    await stop(item)
    return { id: next, state: 'renewed', until: renewed }
  } catch (error) {
    if (!isA(error, ManagementError)) throw error
    return failed(error.message)
  }
}

/** What a channel watches. Undefined if it does not say. */
function watchedOf(
  channel: Uint8Array,
  { at, without }: NonNullable<Renewal['replaces']>['watches'],
): string | undefined {
  const text = textAt(channel, at)
  if (without === undefined) return text || undefined
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  url.searchParams.delete(without)
  return url.href
}

const parsed = (json: Uint8Array): object => JSON.parse(new TextDecoder().decode(json))

export function aKeptChannel(value: unknown, option: string): void {
  const refuse = (problem: string) => {
    throw new ListenerConfigError(option, problem)
  }
  if (kindOf(value) !== 'Object') refuse('must have kept, secret and keep')
  const { kept, secret, keep }: { kept?: unknown; secret?: unknown; keep?: unknown } = Object(value)
  if (!textOf(kept, 'id') || !textOf(kept, 'resourceId'))
    refuse('must have kept: what watch() has answered, with its id, resourceId and expiration')
  if (typeof secret !== 'string' || secret === '')
    refuse('must have secret: the token that you passed to watch()')
  if (typeof keep !== 'function') refuse('must have keep: a function')
}
