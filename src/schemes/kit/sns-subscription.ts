import { fetchBytes, platformFetch } from '../../auth/fetch-bytes.ts'
import { RemoteCache } from '../../auth/remote-cache.ts'
import type { CertificateOptions } from '../../auth/remote-certificates.ts'
import { TIMEOUT_SECONDS } from '../../auth/remote-value.ts'
import { callHook } from '../../lib/hooks.ts'
import { emptyReply, type HandshakeForm, type SchemeOptions } from './define-scheme.ts'
import { SNS_ORIGIN, textOf } from './sns-message.ts'

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
  /** Confirms subscriptions by fetching the URL that Amazon signed. Defaults to false. */
  readonly confirmSubscriptions?: boolean | undefined
  /** Called for each message about a subscription. Not awaited. */
  readonly onSubscription?: ((subscription: SnsSubscription) => unknown) | undefined
}

const SUBSCRIBE_URL: RegExp = /* @__PURE__ */ new RegExp(
  `^${SNS_ORIGIN}/\\?Action=ConfirmSubscription&[!-~]{1,2000}$`,
)
const MOST_BYTES = 65_536
/** Only topics of the user's own have signed these URLs, so their sources do not matter. */
const SHARES = { perSource: 10, renewals: 0 }
const A_CENTURY_IN_SECONDS = 3_155_760_000

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

/** Answers signed messages about subscriptions, which never reach a handler. */
export const SNS_SUBSCRIPTIONS: HandshakeForm = {
  signed: true,
  answer(request, options: SubscriptionOptions & SchemeOptions) {
    const message = request.payload()
    const type = textOf(message, 'Type')
    if (type !== 'SubscriptionConfirmation' && type !== 'UnsubscribeConfirmation') return undefined
    const subscribeUrl = textOf(message, 'SubscribeURL')
    const [topicArn, token] = [textOf(message, 'TopicArn'), textOf(message, 'Token')]
    callHook(options.onSubscription, { type, topicArn, subscribeUrl, token })
    if (type !== 'SubscriptionConfirmation' || !options.confirmSubscriptions) return emptyReply(200)
    if (!SUBSCRIBE_URL.test(subscribeUrl)) return emptyReply(400)
    return visitsOf(options).get(subscribeUrl, undefined, () => emptyReply(200))
  },
}
