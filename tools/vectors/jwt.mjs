import { createHmac, sign as signBytes } from 'node:crypto'
import { p256Raw } from './sign.mjs'

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

const SIGNERS = {
  HS256: (text, key) => createHmac('sha256', key).update(text).digest(),
  RS256: (text, key) => signBytes('sha256', Buffer.from(text), key),
  ES256: (text, key) => p256Raw(key, [text]),
  none: () => Buffer.alloc(0),
}

/** A JWT in compact form. `header` may name another algorithm than the one used. */
export function jwt({ alg, key, claims, header = {} }) {
  const text = `${part({ alg, typ: 'JWT', ...header })}.${part(claims)}`
  return `${text}.${SIGNERS[alg](text, key).toString('base64url')}`
}

/** A case with a token in a header, and a body that the token may cover. */
export const tokenCase =
  (headerName, contentType = 'application/json') =>
  (name, token, body, expect, more = {}) => ({
    name,
    delivery: {
      method: 'POST',
      headers: [
        ['Content-Type', contentType],
        ...(token === undefined ? [] : [[headerName, token]]),
        ...(more.extra ?? []),
      ],
      body: Buffer.from(body),
    },
    expect,
    ...more,
  })

/** What can be wrong with each of the three parts of a JWT. */
export function brokenTokens(right) {
  const [header, claims, signature] = right.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  bytes[0] ^= 1
  return [
    ['a token without its signature', `${header}.${claims}.`],
    ['a token of two parts', `${header}.${claims}`],
    ['a token of four parts', `${right}.${signature}`],
    ['a token with one bit of the signature flipped', `${header}.${claims}.${bytes.toString('base64url')}`],
    ['a truncated token', right.slice(0, -1)],
    ['a token with padding', `${right}=`],
    [
      'a token in plain base64',
      `${header}.${claims}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    ],
    ['a token in quotes', `"${right}"`],
  ]
}
