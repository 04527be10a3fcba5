import { createHash } from 'node:crypto'
import { asked, get, refused, secret, text } from './handshake.mjs'
import { hmac } from './sign.mjs'
import { fetches, message, signed, TOPIC } from './sns-message.mjs'

function sns() {
  const confirmation = (more) =>
    signed(
      message({
        Type: 'SubscriptionConfirmation',
        Subject: undefined,
        Token:
          '2336412f37fb687f5d51e6e241d09c805a5a57b30d712f7948a98bac386edfe3e10314e873973b3e0a3c09119b722dedf2b5e31c59b13edbb26417c19f109351e6f2169efa9085ffe97e10535f4179ac',
        Message: 'You have chosen to subscribe to the topic.',
        SubscribeURL:
          'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn&Token=2336412f',
        ...more,
      }),
    )
  const request = (body) => ({
    method: 'POST',
    url: '/hooks',
    headers: [
      ['Content-Type', 'text/plain; charset=UTF-8'],
      ['X-Amz-Sns-Message-Type', 'SubscriptionConfirmation'],
    ],
    body: JSON.stringify(body),
  })
  const right = confirmation()
  const elsewhere = confirmation({ SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription' })
  return [
    asked('sns', 'SubscriptionConfirmation', {
      options: { topicArns: TOPIC, confirmSubscriptions: true },
      fetches,
      request: request(right),
      reply: { status: 200 },
      visits: right.SubscribeURL,
    }),
    asked('sns', 'SubscriptionConfirmation, changed after signing', {
      options: { topicArns: TOPIC, confirmSubscriptions: true },
      fetches,
      request: request({ ...right, Token: '0' }),
      reply: refused(401),
      visits: null,
    }),
    asked('sns', 'SubscriptionConfirmation with a link to another host, correctly signed', {
      options: { topicArns: TOPIC, confirmSubscriptions: true },
      fetches,
      request: request(elsewhere),
      reply: { status: 400 },
      visits: null,
    }),
  ]
}

function braintree() {
  const options = { publicKey: 'integration_public_key', secrets: secret('braintree') }
  const challenge = '20f9f8ed05f77439fe955c977e4c8a53'
  const digest = hmac('sha1', createHash('sha1').update(options.secrets).digest(), [challenge]).toString(
    'hex',
  )
  return [
    asked('braintree', 'bt_challenge', {
      options,
      request: get(`/hooks?bt_challenge=${challenge}`),
      reply: text(`integration_public_key|${digest}`),
    }),
    asked('braintree', 'a challenge of another form, which would be signed for anyone', {
      options,
      request: get('/hooks?bt_challenge=bt_payload'),
      reply: refused(400),
    }),
  ]
}

export const codeHandshakes = () => [...sns(), ...braintree()]
