// A cheap client: requests are prepared bytes, one in flight per connection.
import { connect } from 'node:net'

const BLANK_LINE = '\r\n\r\n'

/** `extra` is raw header lines. */
export function requestBytes({ headers, extra = [], body, path = '/hook' }) {
  const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': body.length })
  const named = lines.map(([name, value]) => `${name}: ${value}`)
  const head = [`POST ${path} HTTP/1.1`, ...named, ...extra].join('\r\n')
  return Buffer.concat([Buffer.from(head + BLANK_LINE, 'latin1'), body])
}

/** Connections kept for all rounds. */
export async function openConnections(port, count) {
  const opened = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    return new Promise((resolve, reject) =>
      socket.once('connect', () => resolve(socket)).once('error', reject),
    )
  })
  return Promise.all(opened)
}

/** Sends all requests. Resolves when every one has been answered with 200. */
export async function sendAll(sockets, requests) {
  let next = 0
  const lane = async (socket) => {
    while (next < requests.length) {
      const status = await exchange(socket, requests[next++])
      if (status !== '200') throw new Error(`answered ${status}`)
    }
  }
  const stop = keepTurning()
  await Promise.all(sockets.map(lane)).finally(stop)
}

/** Never sleeps, because waking a client costs the server CPU, and the slowest server most. */
function keepTurning() {
  let stopped = false
  const turn = () => stopped || setImmediate(turn)
  turn()
  return () => {
    stopped = true
  }
}

export function exchange(socket, bytes) {
  return new Promise((resolve, reject) => {
    let text = ''
    const stop = () => socket.off('data', onData).off('error', reject).off('close', onClose)
    const onClose = () => reject(new Error('the server hung up'))
    if (socket.destroyed) return onClose()
    const onData = (chunk) => {
      text += chunk.latin1Slice()
      const head = text.indexOf(BLANK_LINE)
      if (head === -1) return
      const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text) ?? []
      if (text.length < head + BLANK_LINE.length + Number(length)) return
      stop()
      resolve(text.slice(9, 12))
    }
    socket.on('data', onData).on('error', reject).on('close', onClose)
    socket.write(bytes)
  })
}
