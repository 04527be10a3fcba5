import type { Engine } from './engines.ts'
import { startServer } from './server-process.ts'

/** With JetStream, on loopback only. Without `-a` it would listen on every address. */
export function startNats(): Promise<Engine> {
  return startServer({
    command: 'nats-server',
    args: (port, folder) => ['-js', '-a', '127.0.0.1', '-p', `${port === 0 ? -1 : port}`, '-sd', folder],
    listens: /Listening for client connections on 127\.0\.0\.1:(\d+)[\s\S]*Server is ready/,
    urlOf: (port) => `nats://127.0.0.1:${port}`,
  })
}
