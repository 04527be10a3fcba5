import { LOOPBACK_HOST } from '../../../src/auth/remote-key-set.ts'
import { whyUnanswered } from '../../lib/ask.ts'
import type { AnyScheme } from '../../signing/schemes.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { gatekeeperOf } from './gatekeepers.ts'
import { ask, FEW_DAYS, type ProbeAnswer, problemCodeOf } from './probe.ts'

/** What the user says of the listener. */
interface Expected {
  /** The sender, if it signs by a scheme. */
  readonly scheme: AnyScheme | undefined
  /** The audience of its tokens, if the sender signs with a key. */
  readonly publicUrl: URL | undefined
  /** The subject of its tokens. */
  readonly tenantUrl: URL | undefined
}

/** Checks that the URL leads to hookgate, over TLS that senders accept. */
export async function checkUrl(
  url: URL,
  expected: Expected,
  askHost: typeof ask = ask,
): Promise<{
  readonly findings: readonly Finding[]
  /** For whose deliveries hookgate answers there. Undefined if it does not answer. */
  readonly listensTo: 'hookgate' | 'sender' | undefined
}> {
  try {
    const answer = await askHost(url, { method: 'POST' })
    return {
      findings: [answerFinding(answer, url, expected), ...transport(answer, url), ...naming(url, expected)],
      listensTo: listenerOf(answer, expected),
    }
  } catch (error) {
    const unanswered = fail(...whyUnanswered(error, url))
    return { findings: [unanswered, ...naming(url, expected)], listensTo: undefined }
  }
}

/** hookgate's scheme looks for its headers first, like some others. The rest answer 401 if a delivery is not signed. */
function listenerOf(answer: ProbeAnswer, { scheme }: Expected): 'hookgate' | 'sender' | undefined {
  const code = problemCodeOf(answer)
  if (code === 'unauthorized') return 'sender'
  if (code !== 'header_missing') return undefined
  return scheme ? 'sender' : 'hookgate'
}

function answerFinding(answer: ProbeAnswer, { host, pathname }: URL, { scheme }: Expected): Finding {
  const code = problemCodeOf(answer)
  if (code === undefined) return findingInFront(answer, host)
  if (code === 'header_missing') return ok(`hookgate answers at ${host}${pathname}`)
  if (code === 'unauthorized') {
    const whom = scheme ? '' : ', for another sender'
    return ok(`hookgate answers at ${host}${pathname}${whom}`)
  }
  if (code === 'listener_unknown') return fail('hookgate has no listener at this path', 'correct the path')
  if (code === 'unavailable') return fail('hookgate answers 503 there: it cannot decide', 'see its onError')
  return fail(`hookgate refuses an empty POST there: ${code}`, 'see docs/how-it-works.md')
}

/** What answered in place of hookgate. */
function findingInFront(answer: ProbeAnswer, host: string): Finding {
  const { status, headers } = answer
  const letPass = 'let this path through: hookgate authenticates it'
  const known = gatekeeperOf(answer)
  if (known) return fail(`${known.name} answers in front of hookgate (${status})`, known.fix)
  if (status >= 300 && status < 400) {
    const seen = `${host} redirects (${status})${hostOf(headers.location)}`
    return fail(seen, 'use the URL that it leads to, or let this path through without a login')
  }
  if (status === 401 || status === 403) {
    return fail(`something in front of hookgate refuses (${status})`, letPass)
  }
  if (status === 404 || status === 405) {
    const fix = 'correct the path, and mount verifyWebhook there'
    return fail(`nothing accepts POST at this path (${status})`, fix)
  }
  if (status >= 500) return fail(`the server fails (${status})`, 'see its logs')
  const fix = 'mount verifyWebhook at this path, before other handlers'
  return fail(`something other than hookgate answers (${status})`, fix)
}

/** Leaves out the path and the query, which may hold a token. */
function hostOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? ` to ${new URL(location).host}` : ''
}

function transport({ certificateDays }: ProbeAnswer, { protocol, hostname }: URL): Finding[] {
  if (protocol === 'http:') {
    if (LOOPBACK_HOST.test(hostname)) return []
    return [fail('the URL is not https, so others on the network can read deliveries', 'serve it over TLS')]
  }
  if (certificateDays === undefined || certificateDays >= FEW_DAYS) return []
  return [warn(`the certificate expires in ${certificateDays} days`, 'renew it')]
}

/** Senders see the public URL. `--url` may be an internal URL of the same endpoint. */
function* naming(url: URL, { publicUrl, tenantUrl, scheme }: Expected): Iterable<Finding> {
  if (publicUrl === undefined) return
  const fix = `set ${scheme ? 'publicUrl' : 'audience'} to the URL that senders post to`
  if (publicUrl.pathname !== '/' && publicUrl.pathname !== url.pathname)
    yield warn('--public-url has another path than --url', fix)
  if (scheme && publicUrl.search !== '' && url.search !== '' && publicUrl.search !== url.search)
    yield warn('--public-url has another query than --url', fix)
  if (publicUrl.protocol !== 'https:' && !LOOPBACK_HOST.test(publicUrl.hostname))
    yield fail('--public-url is not https', fix)
  if (tenantUrl && publicUrl.origin !== tenantUrl.origin)
    yield warn(
      '--tenant-url and --public-url have different hosts',
      'compare subject and audience with a token',
    )
}
