import { sign as signBytes } from 'node:crypto'
import { NOW } from './common.mjs'
import { rsaOf } from './keys.mjs'

export const CERTIFICATE =
  'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem'
export const CHINA = CERTIFICATE.replace('us-east-1.amazonaws.com', 'cn-north-1.amazonaws.com.cn')
export const TOPIC = 'arn:aws:sns:us-east-1:123456789012:orders'
const COVERED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
}
export const [sender, foreign] = [rsaOf('sender'), rsaOf('foreign')]

export const message = (more = {}) => ({
  Type: 'Notification',
  MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
  TopicArn: TOPIC,
  Subject: 'A subject',
  Message: '{"order": 1, "note": "Gr\u00fc\u00dfe \ud83d\ude80\\n"}',
  Timestamp: new Date(NOW * 1000 - 1000).toISOString(),
  SignatureVersion: '2',
  SigningCertURL: CERTIFICATE,
  UnsubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn',
  ...more,
})

/** `name\nvalue\n` for each covered member that is present, in order. */
export function signed(unsigned, key = sender) {
  const hash = unsigned.SignatureVersion === '1' ? 'sha1' : 'sha256'
  const covered = COVERED[unsigned.Type] ?? COVERED.Notification
  const text = covered
    .flatMap((name) => (unsigned[name] !== undefined ? [`${name}\n${unsigned[name]}\n`] : []))
    .join('')
  return { ...unsigned, Signature: signBytes(hash, Buffer.from(text), key.privateKey).toString('base64') }
}

/** What a fetch finds. At all other URLs there is an attacker's own certificate. */
export const fetches = {
  [CERTIFICATE]: { status: 200, body: sender.certificate },
  [CHINA]: { status: 200, body: sender.certificate },
  '*': { status: 200, body: foreign.certificate },
}
