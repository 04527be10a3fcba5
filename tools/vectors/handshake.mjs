import { NOW } from './common.mjs'
import { secretsOf } from './keys.mjs'
import { hmac } from './sign.mjs'

/** The parts of a handshake. Expected headers are patterns, and bodies are exact. */

const JSON_TYPE = ['Content-Type', 'application/json']
export const TEXT_REPLY = { 'content-type': /^text\/plain/.source }

export const post = (headers, body, url = '/hooks') => ({
  method: 'POST',
  url,
  headers: [JSON_TYPE, ...headers],
  body,
})
export const get = (url, headers = []) => ({ method: 'GET', url, headers, body: '' })

/** A sender's request before or besides its deliveries, and the answer it wants. */
export const asked = (scheme, name, { options, request, reply, ...more }) => ({
  scheme,
  name,
  options,
  now: NOW,
  request,
  reply,
  ...more,
})
export const text = (body) => ({ status: 200, headers: TEXT_REPLY, body })
export const json = (value) => ({
  status: 200,
  headers: { 'content-type': '^application/json' },
  json: value,
})
export const empty = (status, headers = {}) => ({ status, headers, body: '' })
export const refused = (status) => ({ status })

export const secret = (scheme) => secretsOf(scheme).new
export const hex = (scheme, parts, hash = 'sha256') => hmac(hash, secret(scheme), parts).toString('hex')
export const base64 = (scheme, parts) => hmac('sha256', secret(scheme), parts).toString('base64')
export const TIME = String(NOW)
