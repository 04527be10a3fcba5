import { Agent, request } from 'node:http'
import { connect, constants } from 'node:http2'

/** The answers, each with how often it came: statuses, and codes of errors, with what the connection had been used for before. */
export type Answers = { readonly [answer: string]: number }

interface Sent {
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array
}

const CONNECTIONS = 6

/**
 * Sends one request after the other on each of six connections that stay open, as a proxy does, until the server takes no new
 * connection. `answered` says how many have been so far, and `ended` what became of those that ended after `count()` was called.
 */
export function keepAlive(
  url: URL,
  sign: () => Promise<Sent>,
): { answered(): number; count(): void; readonly ended: Promise<Answers> } {
  const answers: { [answer: string]: number } = {}
  let answered = 0
  let isCounting = false
  const send = url.protocol === 'h2c:' ? overHttp2 : overHttp1
  const connection = async () => {
    const post = send(url)
    for (;;) {
      const sent = await sign()
      const answer = await post(sent)
      if (answer === 'ECONNREFUSED') return
      answered += 1
      if (isCounting) answers[answer] = (answers[answer] ?? 0) + 1
      if (answer !== '200' && answer !== '202' && !/^5/.test(answer)) return
    }
  }
  return {
    answered: () => answered,
    count() {
      isCounting = true
    },
    ended: Promise.all(Array.from({ length: CONNECTIONS }, connection)).then(() => answers),
  }
}

function overHttp1(url: URL): (sent: Sent) => Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return ({ headers, body }) =>
    new Promise((resolve) => {
      const asked = request(url, { method: 'POST', agent, headers }, (response) => {
        response
          .resume()
          .once('end', () => resolve(`${response.statusCode}`))
          .once('error', () => resolve('cut'))
      })
      asked.once('error', (error) => resolve(codeOf(error)))
      asked.end(body)
    })
}

/** Opens another session when the server says that this one takes no more. */
function overHttp2(url: URL): (sent: Sent) => Promise<string> {
  let failure = ''
  const open = () =>
    connect(`http://${url.host}`).on('error', (error) => {
      failure = codeOf(error)
    })
  let session = open()
  return async function post({ headers, body }): Promise<string> {
    if (session.closed || session.destroyed) session = open()
    const stream = session.request({ ...headers, ':method': 'POST', ':path': url.pathname })
    let status = 'cut'
    stream
      .on('response', (given) => {
        status = `${given[':status']}`
      })
      .on('error', (error) => {
        status = codeOf(error)
      })
      .resume()
      .end(body)
    await new Promise((resolve) => stream.once('close', resolve))
    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      session = open() // it has done nothing with the request (RFC 9113 8.7)
      return post({ headers, body })
    }
    return failure || status // a session that cannot connect cancels its streams
  }
}

const codeOf = (error: Error) => ('code' in error ? `${error.code}` : error.message)
