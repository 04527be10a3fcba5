// Preloaded into a process that must work offline. It ends the process at any connection or lookup.
import dns from 'node:dns'
import { Socket } from 'node:net'

function refuse(...[target]) {
  const where = Array.isArray(target) ? target[0] : target
  if (where?.path !== undefined) return connect.call(this, target) // a pipe
  console.error('the build uses the network:', where)
  process.exit(99)
}

const { connect } = Socket.prototype
Socket.prototype.connect = refuse
dns.lookup = refuse
