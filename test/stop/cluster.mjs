// A program of `drain.test.ts`: a cluster of one worker, which is stopped, and whose end is that of the program.
import cluster from 'node:cluster'
import { createServer } from 'node:http'
import { onStop } from 'hookgate/stop'

if (cluster.isPrimary) {
  const worker = cluster.fork()
  worker.on('listening', () => worker.process.kill('SIGTERM'))
  worker.on('exit', (code) => process.exit(code ?? 1))
  process.on('exit', () => worker.process.kill('SIGKILL'))
} else {
  const server = createServer()
  onStop(server, () => {})
  server.listen(0, '127.0.0.1')
}
