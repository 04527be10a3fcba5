/**
 * Sends `count` unfinished bodies over one HTTP/2 session, fifty at a time. Reports the responses and stays connected.
 */

import { connect } from 'node:http2'

const [url, count, bytes] = process.argv.slice(2)
const AT_ONCE = 50
const session = connect(url)
const streams = []
const answers = {}

const headers = {
  ':method': 'POST',
  ':path': '/hook',
  'content-type': 'application/json',
  'webhook-timestamp': '1790000000',
  'webhook-event-id': '0b5ff3e4-6a5c-4d52-8a43-0d3f8f3a5a11',
  'webhook-signature': `v1,${'A'.repeat(43)}`,
}

/** Resolves with the answer. The server may reset the stream behind it. */
function sendOne() {
  const stream = session.request(headers, { endStream: false })
  streams.push(stream) // as a client that keeps its streams open would
  stream.setEncoding('utf8').write(Buffer.alloc(Number(bytes), ' '))
  return new Promise((resolve) => {
    let answer = ''
    stream.on('response', (head) => {
      answer = `${head[':status']} `
    })
    stream.on('data', (text) => {
      answer += text
    })
    stream
      .on('error', () => {})
      .on('end', () => resolve(answer))
      .on('close', () => resolve(answer))
  })
}

async function sendInTurn() {
  for (let sent = 0; sent < count / AT_ONCE; sent += 1) {
    const answer = await sendOne()
    answers[answer] = (answers[answer] ?? 0) + 1
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, sendInTurn))
process.send(answers)
process.once('disconnect', () => session.destroy())
