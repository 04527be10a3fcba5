import { spawn } from 'node:child_process'

/** Longer than any suite takes, so only a hang reaches it. */
const DEADLINE_MS = 420_000

/** Process groups that must not outlive this process, however it ends. */
const running = new Set()
const stopAll = () => {
  for (const pid of running) process.kill(-pid, 'SIGKILL')
}
process.once('exit', stopAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))

/** Runs a program until it exits or the deadline passes. Returns its exit code and its output. */
export function runIn(cwd, program, args, environment = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // its own group, so that its workers end with it
    })
    running.add(child.pid)
    let output = ''
    const keep = (chunk) => {
      output += chunk
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const timer = setTimeout(() => {
      output += `\nstopped after ${DEADLINE_MS / 1000} s`
      process.kill(-child.pid, 'SIGKILL')
    }, DEADLINE_MS)
    child.once('error', (error) => {
      clearTimeout(timer)
      running.delete(child.pid)
      reject(error)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      running.delete(child.pid)
      resolve({ code: code ?? signal, output })
    })
  })
}
