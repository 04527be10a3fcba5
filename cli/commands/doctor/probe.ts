import { globalAgent as http } from 'node:http'
import { globalAgent as https } from 'node:https'
import { generateSecret } from '../../../src/index.ts'
import { problemCode } from '../../../src/sender/judge.ts'
import { bodyBytes } from '../../../src/signing/body.ts'
import { type SignedRequest, signHmac } from '../../../src/signing/sign.ts'
import * as client from '../../lib/ask.ts'
import { nowSeconds } from '../../signing/scheme-body.ts'

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

export function send(
  url: URL,
  { headers, body }: Pick<SignedRequest, 'headers' | 'body'>,
): Promise<ProbeAnswer> {
  return ask(url, { method: 'POST', headers, body })
}

/**
 * Sends a delivery in hookgate's scheme that no receiver accepts, so no event is claimed: it is signed with a new secret.
 * @param skew Seconds to add to its time.
 */
export async function sendWronglySigned(url: URL, body: string, skew: number): Promise<ProbeAnswer> {
  return send(url, await signHmac({ secret: generateSecret(), body, timestamp: nowSeconds() + skew }))
}

/** The `code` of hookgate's problem+json. Undefined if something else answered. */
export function problemCodeOf({ headers, bytes }: ProbeAnswer): string | undefined {
  return headers['content-type']?.startsWith('application/problem+json') ? problemCode(bytes) : undefined
}

/** A certificate that expires within this many days gets a warning. */
export const FEW_DAYS = 14
