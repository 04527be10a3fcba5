import https from 'node:https'
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import MessageValidator from 'sns-validator'
import { text } from './reading.mjs'

/** Stands in for Amazon's host, because the SDK gets its certificate only by `https.get`. */
function serveCertificates(fetches) {
  return mock.method(https, 'get', (url, done) => {
    const response = Readable.from([(fetches[url] ?? fetches['*']).body])
    done(Object.assign(response, { statusCode: 200 }))
    return { on() {} }
  })
}

export async function verify({ body, fetches }) {
  const stub = serveCertificates(fetches)
  try {
    return await new Promise((resolve) => {
      new MessageValidator().validate(text(body), (error) => resolve(!error))
    })
  } finally {
    stub.mock.restore()
  }
}
