import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { TLSSocket } from 'node:tls'
import { memberOf } from '../../../src/lib/member-of.ts'
import { problemCode } from '../../../src/sender/judge.ts'
import type { SignedRequest } from '../../../src/signing/sign.ts'
import { printable } from '../../command-line/output.ts'
import { codeOf, readUpTo } from '../../command-line/values.ts'
import { whenClosedEarly } from '../../lib/closed-early.ts'

const TIMEOUT_MS = 3000
const DAY_MS = 86_400_000

export interface ProbeAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** By this machine's clock, in milliseconds. The host wrote its answer between these two. */
  readonly sentAt: number
  readonly receivedAt: number
  /** Days until the host's certificate expires. */
  readonly certificateDays: number | undefined
}

interface ProbeQuestion {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly body?: SignedRequest['body']
  /** How much of the answer to read, in bytes. Defaults to 65,536. */
  readonly mostBytes?: number
}

/**
 * Asks a host that the user named. Follows no redirect and sends no cookie. Rejects with the connection's error, or after 3 s.
 */
export function ask(
  url: URL,
  { method, headers = {}, body = '', mostBytes = 65_536 }: ProbeQuestion,
): Promise<ProbeAnswer> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return new Promise((resolve, reject) => {
    const sentAt = Date.now()
    const question = request(url, { method, headers, signal }, (response) => {
      const head = headOf(response, sentAt)
      readUpTo(response, mostBytes).then((bytes) => resolve({ ...head, bytes }), reject)
    })
    question.on('error', reject).end(body)
    whenClosedEarly(question, () => reject({ code: 'ECONNRESET' }))
  })
}

function headOf(response: IncomingMessage, sentAt: number): Omit<ProbeAnswer, 'bytes'> {
  const { headers, socket, statusCode = 0 } = response
  const validTo = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : Number.NaN
  const certificateDays = Number.isNaN(validTo) ? undefined : Math.floor((validTo - Date.now()) / DAY_MS)
  return { status: statusCode, headers, sentAt, receivedAt: Date.now(), certificateDays }
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

const FROM_A_CA = 'get a certificate from a CA that senders trust'

const UNREACHABLE: { readonly [code: string]: readonly [seen: string, fix: string] } = {
  ECONNREFUSED: ['refuses connections', 'start the server, or correct the port'],
  ECONNRESET: ['closed the connection before it answered', 'see the logs of the server'],
  ENOTFOUND: ['is an unknown host', 'correct the name, or add its DNS record'],
  EAI_AGAIN: ['cannot be looked up now', "check this machine's DNS"],
  ABORT_ERR: [`did not answer within ${TIMEOUT_MS / 1000} s`, 'check firewalls between here and there'],
  CERT_HAS_EXPIRED: ['has an expired certificate', 'renew the certificate'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['has a self-signed certificate', FROM_A_CA],
  SELF_SIGNED_CERT_IN_CHAIN: ['has a certificate of a private CA', FROM_A_CA],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['does not send its intermediate certificate', 'serve the full chain'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a certificate for another name', 'get one for this name'],
  EPROTO: ['does not speak TLS there', 'correct the port, or write http:// for a server on this machine'],
}

/** Why a host could not be reached, and the fix. */
export function whyUnreachable(error: unknown): readonly [seen: string, fix: string] {
  const code = codeOf(error) || codeOf(memberOf(memberOf(error, 'errors'), 0))
  const known = UNREACHABLE[code]
  return known ?? [`cannot be reached (${printable(code || 'unknown')})`, 'try it with curl --verbose']
}

/** A certificate that expires within this many days gets a warning. */
export const FEW_DAYS = 14
