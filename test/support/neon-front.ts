import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type NeonQueryFunction, neon, neonConfig, Pool } from '@neondatabase/serverless'
import pg from 'pg'
import { WebSocket, WebSocketServer } from 'ws'
import type { PostgresServer } from './postgres-server.ts'

/** Neon's own clients. A front to a real server replaces Neon's proxy: HTTP for `neon()`, WebSocket for `Pool`. */
export interface NeonClients {
  readonly http: NeonQueryFunction<false, false>
  readonly pool: Pool
  /** Where the front takes statements over HTTP. */
  readonly sqlUrl: string
  close(): Promise<unknown>
}

export async function connectNeon(server: PostgresServer): Promise<NeonClients> {
  const behind = new pg.Pool(server.address)
  const front = createServer((request, response) => void answerQuery(behind, request, response))
  const sockets = new WebSocketServer({ server: front })
  sockets.on('connection', (near) => {
    const far = connect(server.socketPath)
    near.on('message', (bytes: Buffer) => far.write(bytes)).on('close', () => far.destroy())
    far
      .on('data', (bytes) => near.send(bytes))
      .on('close', () => near.close())
      .on('error', () => near.close())
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const { port } = front.address() as AddressInfo // only a pipe's address is a string
  const sqlUrl = `http://127.0.0.1:${port}/sql`
  neonConfig.fetchEndpoint = () => sqlUrl
  neonConfig.wsProxy = () => `127.0.0.1:${port}`
  neonConfig.useSecureWebSocket = false
  neonConfig.pipelineConnect = false // the test server needs no password
  neonConfig.webSocketConstructor = WebSocket
  const url = 'postgres://hookgate:none@neon.example/postgres'
  const pool = new Pool({ connectionString: url })
  const close = async () => {
    await pool.end()
    for (const socket of sockets.clients) socket.terminate()
    front.closeAllConnections()
    front.close()
    await behind.end()
  }
  return { http: neon(url), pool, sqlUrl, close }
}

/** One statement. Returns arrays of texts, as `Neon-Array-Mode` and `Neon-Raw-Text-Output` demand. */
async function answerQuery(
  behind: pg.Pool,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { query: text, params: values } = JSON.parse(Buffer.concat(chunks).toString())
  const types = { getTypeParser: () => (value: unknown) => value }
  try {
    const result = await behind.query({ text, values, rowMode: 'array', types })
    const { command, rowCount, rows } = result
    const fields = result.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }))
    response.end(JSON.stringify({ command, rowCount, rows, fields, rowAsArray: true }))
  } catch (error) {
    const { message, code, severity } = Object(error)
    response.writeHead(400).end(JSON.stringify({ message, code, severity }))
  }
}
