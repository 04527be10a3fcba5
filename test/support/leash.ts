import { type ChildProcess, spawn } from 'node:child_process'

/** Its input ends with this process, whatever ended that. A test run that is interrupted comes to no `afterAll`. */
const LEASH = `cat > /dev/null
kill -KILL "$(cat "$0/pid")"
rm -rf "$0"`

/** Once this process is gone, ends the one whose number stands in `pid` of the folder, and removes the folder. */
export function leash(folder: string): ChildProcess {
  const shell = spawn('sh', ['-c', LEASH, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.unref()
  return shell
}
