import { sign } from 'node:crypto'
import type { SigningKey } from './keys.ts'

export const TOPIC = 'arn:aws:sns:us-east-1:123456789012:orders'
export const CERTIFICATE_URL = 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789.pem'

type Members = { readonly [name: string]: string | number | null | undefined }

const CONTROL = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
const SIGNED = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']

/** A message signed like one of SNS. Version 2 unless given. */
export function snsMessage(key: SigningKey, nowMs: number, members: Members = {}): Members {
  const message: Members = {
    Type: 'Notification',
    MessageId: crypto.randomUUID(),
    TopicArn: TOPIC,
    Message: 'hello',
    Timestamp: new Date(nowMs).toISOString(),
    SignatureVersion: '2',
    SigningCertURL: CERTIFICATE_URL,
    ...members,
  }
  const names = message.Type === 'Notification' ? SIGNED : CONTROL
  const lines = names.flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`]))
  const hash = message.SignatureVersion === '1' ? 'sha1' : 'sha256'
  return { ...message, Signature: sign(hash, Buffer.from(lines.join('')), key.keyObject).toString('base64') }
}
