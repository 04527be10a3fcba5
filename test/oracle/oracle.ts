import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Line } from './lines.ts'

const PROGRAM = fileURLToPath(new URL('python', import.meta.url))

/** A Python with the package `cryptography`. Undefined if there is none. */
export function findPython(): string | undefined {
  return ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-I', '-c', 'import cryptography']).status === 0,
  )
}

/** The oracle's answers to all lines. Starts one process, sends it everything and reads to the end. */
export function askOracle(python: string, lines: readonly Line[]): Promise<string[]> {
  // -I: ignores the user's own Python settings; -B: writes no compiled files
  const oracle = spawn(python, ['-I', '-B', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  oracle.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  oracle.stdin.on('error', () => {}) // it ended early, and stderr says why
  oracle.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return new Promise((resolve, reject) => {
    oracle.on('error', reject)
    oracle.on('close', (code) => {
      if (code !== 0) return reject(new Error(`the oracle ended with ${code}`))
      const answers = Buffer.concat(chunks).toString().trimEnd().split('\n')
      resolve(answers.map((answer) => String(JSON.parse(answer))))
    })
  })
}
