import { createRequire } from 'node:module'
import type { Engine } from './engines.ts'
import { startServer } from './server-process.ts'

const { resolve } = createRequire(import.meta.url)

/** A single node, on loopback only. Workers register themselves on a second port. */
export function startRestate(): Promise<Engine> {
  return startServer({
    command: resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`),
    args: (_, folder) => [
      ...['--listen-mode', 'tcp', '--bind-ip', '127.0.0.1', '--use-random-ports', 'true'],
      ...['--base-dir', folder, '--node-name', 'one', '--no-logo', '--log-format', 'json'],
    ],
    env: (port) => ({
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${port}`,
      RESTATE_DISABLE_TELEMETRY: 'true',
    }),
    listens: /Ingress HTTP listening.*?"server\.port":(\d+)/,
    urlOf: (port) => `http://127.0.0.1:${port}`,
    listensToWorkers: /"server\.port":(\d+),"server_name":"admin-api-server"/,
  })
}
