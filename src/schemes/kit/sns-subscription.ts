import { fetchBytes, platformFetch } from '../../auth/fetch-bytes.ts'
import { RemoteCache } from '../../auth/remote-cache.ts'
import type { CertificateOptions } from '../../auth/remote-certificates.ts'
import { TIMEOUT_SECONDS } from '../../auth/remote-value.ts'
import { callHook } from '../../lib/hooks.ts'
import { parseTime } from '../../lib/time.ts'
import { fail } from '../../reason.ts'
import { emptyReply, type HandshakeForm, type SchemeOptions } from './define-scheme.ts'
import { isSubscribeUrl, textOf } from './sns-message.ts'

/** A subscription that Amazon asks you to confirm, or that has ended. */
export interface SnsSubscription {
  /** `UnsubscribeConfirmation` if it has ended; its URL would then subscribe again. */
  readonly type: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation'
  readonly topicArn: string
  /** Fetching it confirms the subscription, as `ConfirmSubscription` does with the token. */
  readonly subscribeUrl: string
  readonly token: string
}

/** The options of `sns` for subscriptions. */
export interface SubscriptionOptions extends CertificateOptions {
  /**
   * The origin of an emulator on this machine that signs, as the messages of LocalStack have it in `SigningCertURL`:
   * `http://localhost.localstack.cloud:4566`. It is trusted in place of Amazon, whose messages are then refused, and any program on this
   * machine can sign: set it for development and tests alone. Loopback hosts only. Defaults to none.
   */
  readonly emulatorOrigin?: string | undefined
  /** Confirms subscriptions by fetching the URL that Amazon signed. Defaults to false. */
  readonly confirmSubscriptions?: boolean | undefined
  /**
   * Called once in each process for a message about a subscription, which is at most three days old. Not awaited. A captured message
   * can come again after a restart, or to another process, so ask Amazon for the state of the subscription before you act.
   */
  readonly onSubscription?: ((subscription: SnsSubscription) => unknown) | undefined
}

const MOST_BYTES = 65_536
/** Only topics of the user's own have signed these URLs, so their sources do not matter. */
const SHARES = { perSource: 10, renewals: 0 }
const A_CENTURY_IN_SECONDS = 3_155_760_000
/** Three days: as long as Amazon has ever documented for its tokens. An attempt later than that cannot confirm anything. */
const OLDEST_SECONDS = 259_200

/** Fetched URLs per listener. Replays of a captured message do not fetch its URL again. */
const visits: WeakMap<SubscriptionOptions, RemoteCache<true>> = /* @__PURE__ */ new WeakMap()

function visitsOf(options: SubscriptionOptions): RemoteCache<true> {
  const { fetch = platformFetch, timeoutSeconds = TIMEOUT_SECONDS } = options
  const limits = { fetch, timeoutMs: timeoutSeconds * 1000, mostBytes: MOST_BYTES, accept: '*/*' }
  const visit = async (url: string) => (await fetchBytes(url, limits)) && (true as const)
  const lasting = { ...options, maxStaleSeconds: A_CENTURY_IN_SECONDS }
  const known = visits.get(options) ?? new RemoteCache('Amazon SNS', visit, lasting, SHARES)
  visits.set(options, known)
  return known
}

/** The IDs of the messages that a listener's `onSubscription` was called for, oldest first. Replays do not call it again. */
const told: WeakMap<SubscriptionOptions, Set<string>> = /* @__PURE__ */ new WeakMap()
const MOST_TOLD = 1000

/** Whether this is the first time. Only messages of the user's own topics are counted. */
function isFirst(options: SubscriptionOptions, messageId: string): boolean {
  const known = told.get(options) ?? new Set()
  told.set(options, known)
  if (known.has(messageId)) return false
  for (const oldest of known) {
    if (known.size < MOST_TOLD) break
    known.delete(oldest)
  }
  known.add(messageId)
  return true
}

/** Answers signed messages about subscriptions, which never reach a handler. */
export const SNS_SUBSCRIPTIONS: HandshakeForm = {
  signed: true,
  answer(request, options: SubscriptionOptions & SchemeOptions) {
    const message = request.payload()
    const type = textOf(message, 'Type')
    if (type !== 'SubscriptionConfirmation' && type !== 'UnsubscribeConfirmation') return undefined
    // Phrased so that NaN fails closed.
    if (!(request.now - parseTime('rfc3339', textOf(message, 'Timestamp')) <= OLDEST_SECONDS)) {
      return fail('timestamp_out_of_range', 'the message about a subscription is over three days old')
    }
    if (!request.enforced) return emptyReply(200)
    const subscribeUrl = textOf(message, 'SubscribeURL')
    const [topicArn, token] = [textOf(message, 'TopicArn'), textOf(message, 'Token')]
    if (isFirst(options, textOf(message, 'MessageId'))) {
      callHook(options.onSubscription, { type, topicArn, subscribeUrl, token })
    }
    if (type !== 'SubscriptionConfirmation' || !options.confirmSubscriptions) return emptyReply(200)
    if (!isSubscribeUrl(subscribeUrl, options.emulatorOrigin)) return emptyReply(400)
    return visitsOf(options).get(subscribeUrl, undefined, () => emptyReply(200))
  },
}
