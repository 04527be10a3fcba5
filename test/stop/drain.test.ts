import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { Drain } from '../../src/stop/drain.ts'
import { RawConnection } from '../support/raw-http.ts'

const GET = Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')

it('requests that were pipelined are all answered, before and after it closes, and the last one closes the connection', async () => {
  const responses: ServerResponse[] = []
  const server = createServer((_request, response) => void responses.push(response))
  onTestFinished(() => server.closeAllConnections())
  const drain = new Drain(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const connection = new RawConnection({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  await connection.write(Buffer.concat([GET, GET]))
  await expect.poll(() => responses).toHaveLength(2)
  const closed = drain.close()
  await connection.write(GET)
  await expect.poll(() => responses).toHaveLength(3)
  for (const response of responses) response.end()
  const replies = [await connection.reply(), await connection.reply(), await connection.reply()]
  expect(replies.map((reply) => reply?.status)).toEqual([200, 200, 200])
  const closing = replies.map((reply) => reply?.headers.some((line) => `${line}` === 'connection,close'))
  expect(closing).toEqual([false, false, true])
  expect(await closed).toBe(0)
})

it('a worker of a cluster ends by itself', async () => {
  const primary = fork(fileURLToPath(new URL('cluster.mjs', import.meta.url)))
  onTestFinished(() => void primary.kill('SIGKILL'))
  expect(await once(primary, 'exit')).toEqual([0, null])
})
