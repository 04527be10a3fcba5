import { secretsOf } from './keys.mjs'
import { hmac } from './sign.mjs'

/** 2025-11-20T12:00:00Z */
export const NOW = 1_763_640_000

/** Why a check does not apply, for `notApplicable`. */
export const NO_TIME = 'The sender signs no time.'

const body = (parts, { body: sent, time, id, url, method }) =>
  parts.map((part) => ({ body: sent, time, id, url, method })[part.slice(1, -1)] ?? part)

/** An HMAC over parts: `{body}`, `{time}`, `{id}`, `{url}`, `{method}`, and any other text literally. */
export const macOver =
  (hash, parts, key = (secret) => secret) =>
  (signed) =>
    hmac(hash, key(signed.secret), body(parts, signed))

/** A sender that signs the body alone. */
export const bodyOnly = (scheme, header, rest) => {
  const {
    hash = 'sha256',
    encoding = 'hex',
    prefix,
    otherPrefix,
    list,
    join,
    several,
    parts = ['{body}'],
    keyBytes,
    ...recipe
  } = rest
  const otherHash = hash === 'sha1' ? 'sha256' : 'sha1'
  return {
    scheme,
    now: NOW,
    keys: secretsOf(scheme),
    signature: {
      header,
      encoding,
      prefix,
      otherPrefix,
      list,
      join,
      several,
      bytes: { sha1: 20, sha256: 32, sha512: 64 }[hash],
      sign: macOver(hash, parts, keyBytes),
      weaker: { hash: otherHash, sign: macOver(otherHash, parts, keyBytes) },
    },
    ...recipe,
    notApplicable: {
      ...(recipe.time ? {} : { 'stale and future time': NO_TIME }),
      ...(list ? {} : { 'a list of signatures': 'The header holds one signature.' }),
      ...recipe.notApplicable,
    },
  }
}

/** A sender that signs a time, in its own header, together with the body. */
export const withTime = (
  scheme,
  signature,
  timestamp,
  { unit = 'seconds', of = 'attempt', tolerance, ahead, ...rest },
) =>
  bodyOnly(scheme, signature, {
    time: { header: timestamp, unit, of, tolerance, ahead },
    ...rest,
  })
