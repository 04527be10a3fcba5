import { type ChildProcess, spawn } from 'node:child_process'

/** Its input ends with this process, even if an interrupt skips `afterAll`. */
const SCRIPT = `cat > /dev/null
kill -KILL "$(cat "$0/pid")"
rm -rf "$0"`

/** After this process ends, kills the one whose ID is in the folder's `pid`, and removes the folder. */
export function killAfterExit(folder: string): ChildProcess {
  const shell = spawn('sh', ['-c', SCRIPT, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.unref()
  return shell
}
