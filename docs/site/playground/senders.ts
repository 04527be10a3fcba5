import { SENDERS } from 'virtual:senders'
import { type Authenticator, ListenerConfigError } from 'hookgate'
import type { SchemeOptions, SenderScheme } from 'hookgate/schemes'

/** The factory of any scheme. */
export interface AnyScheme {
  (options: SchemeOptions): Authenticator
  readonly scheme: SenderScheme
}

/** The required options of a scheme's receiver, and further inputs. */
export interface SchemeNeeds {
  readonly option: 'secrets' | 'publicKeys' | undefined
  readonly signsUrl: boolean
  readonly hasOwnOptions: boolean
}

/** The senders that index.html does not list: one for each `hookgate/schemes/<name>`. */
export function listSenders(menu: HTMLElement): void {
  menu.append(...SENDERS.map(({ name, sender }) => new Option(sender, name)))
}

/** True for hookgate's own two methods, which belong to no sender. */
export const isOwn = (scheme: string): boolean => scheme === 'hmac' || scheme === 'jwt'

/** The row of a sender's scheme. Undefined for hookgate's own methods. */
export async function schemeOf(name: string): Promise<SenderScheme | undefined> {
  return isOwn(name) ? undefined : (await loadScheme(name)).scheme
}

/** Loads one scheme, when it is chosen. */
export async function loadScheme(name: string): Promise<AnyScheme> {
  const found = SENDERS.find((sender) => sender.name === name)
  if (found === undefined) throw new ListenerConfigError('scheme', `there is no ${name}`)
  return factoryIn(await found.load(), name)
}

/** Loads all of them, to recognise a sender by its headers. */
export function allSchemes(): Promise<readonly SenderScheme[]> {
  return Promise.all(SENDERS.map(async ({ name, load }) => factoryIn(await load(), name).scheme))
}

function factoryIn(module: { readonly [exported: string]: unknown }, name: string): AnyScheme {
  return Object.values(module).find((value) => Object(value).scheme?.name === name) as AnyScheme // make.mjs has found one in each module
}

/** Calls the factory without options. Its errors name the missing ones. */
export function needsOf(factory: AnyScheme): SchemeNeeds {
  const publicUrl = 'https://example.com/'
  const lacks = lacking(factory, { publicUrl })
  const option = lacks?.startsWith('secrets')
    ? 'secrets'
    : lacks?.startsWith('publicKeys')
      ? 'publicKeys'
      : undefined
  return { option, signsUrl: lacking(factory, {}) === 'publicUrl', hasOwnOptions: option === undefined }
}

function lacking(factory: AnyScheme, options: SchemeOptions): string | undefined {
  try {
    factory(options)
    return undefined
  } catch (error) {
    return error instanceof ListenerConfigError ? error.option : undefined
  }
}
