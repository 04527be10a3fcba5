import { isIP } from 'node:net'
import { type Listener, verify } from '../../src/index.ts'
import { addressOf } from '../../src/schemes/kit/signed-url.ts'
import type { SignedRequest } from '../../src/signing/sign.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { toDelivery } from '../../src/testing/to-delivery.ts'

/** A `send` command, and what it sends. */
export interface SendCommand {
  /** Never holds the secret. */
  readonly text: string
  /** Where it sends: the listener's URL, with the query that the sender signs. */
  readonly target: string
  /** Undefined if a trial would need the network. */
  readonly sign: (() => Promise<SignedRequest>) | undefined
}

/**
 * The text of the command, if this listener accepts what it sends. It does not if the private key that was passed is another's, if the
 * networks that may send exclude this machine, or if the sample is too large.
 */
export async function workingCommand(
  command: SendCommand | undefined,
  listener: Listener,
): Promise<string | undefined> {
  if (command?.sign === undefined) return command?.text
  const trial = { ...listener, store: memoryStore({ maxRecords: 10 }), onVerdict() {}, onError() {} }
  try {
    const request = await command.sign()
    const { pathname, search, hostname } = new URL(addressOf(command.target, request))
    const address = hostname.replace(/^\[|\]$/g, '')
    const delivery = toDelivery(request, isIP(address) ? address : '127.0.0.1')
    const { ok } = await verify({ ...delivery, url: pathname + search }, trial)
    return ok ? command.text : undefined
  } catch {
    return undefined // it cannot be signed
  }
}
