import { globalAgent as http } from 'node:http'
import { globalAgent as https } from 'node:https'
import { problemCode } from '../../../src/sender/judge.ts'
import { bodyBytes } from '../../../src/signing/body.ts'
import type { SignedRequest } from '../../../src/signing/sign.ts'
import * as client from '../../lib/ask.ts'

export type ProbeAnswer = client.Answer

const TIMEOUT_MS = 3000

interface ProbeQuestion {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly body?: SignedRequest['body']
  /** How much of the answer to read, in bytes. Defaults to 65,536. */
  readonly mostBytes?: number
}

/** Asks within 3 s, over connections that are kept: the checks of clocks ask often. */
export function ask(
  url: URL,
  { method, headers = {}, body = '', mostBytes }: ProbeQuestion,
): Promise<ProbeAnswer> {
  return client.ask(
    url,
    { method, headers, body: bodyBytes(body) },
    { timeoutMs: TIMEOUT_MS, mostBytes, agents: { http, https } },
  )
}

/** Well formed but wrong: a delivery with it is never accepted, so no event is claimed. */
const NO_SIGNATURE = 'A'.repeat(43)

export function send(
  url: URL,
  { headers, body }: Pick<SignedRequest, 'headers' | 'body'>,
): Promise<ProbeAnswer> {
  return ask(url, { method: 'POST', headers, body })
}

/** Sends a wrongly signed delivery in the specification's form. @param skew Seconds to add to its time. */
export function sendUnsigned(url: URL, body: string, skew: number): Promise<ProbeAnswer> {
  const headers = {
    'content-type': 'application/json',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000) + skew}`,
    'webhook-event-id': crypto.randomUUID(),
    'webhook-signature': NO_SIGNATURE,
  }
  return send(url, { headers, body })
}

/** The `code` of hookgate's problem+json. Undefined if something else answered. */
export function problemCodeOf({ headers, bytes }: ProbeAnswer): string | undefined {
  return headers['content-type']?.startsWith('application/problem+json') ? problemCode(bytes) : undefined
}

/** A certificate that expires within this many days gets a warning. */
export const FEW_DAYS = 14
