// Runs the built command line for one case after another, each with its own arguments, environment, folder and input.
// Only main.js is evaluated again, so a case takes milliseconds. One argument: the path of main.js.
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

const [, , main] = process.argv
const home = process.cwd()
const exit = process.exit
let runs = 0
let turn = Promise.resolve()

// The APIs of senders are fakes, if the case says where: `{"https://api.stripe.com": "http://127.0.0.1:…"}`
const { fetch } = globalThis
globalThis.fetch = (url, init) => {
  const { origin } = new URL(url)
  return fetch(url.replace(origin, JSON.parse(process.env.TEST_APIS ?? '{}')[origin] ?? origin), init)
}

process.on('disconnect', () => exit())
process.on('message', ({ id, ...asked }) => {
  turn = turn.then(async () => process.send({ id, ...(await run(asked)) }))
})

async function run({ args, env, cwd, input }) {
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    process[name].removeAllListeners('error')
    process[name].write = (text, ...rest) => {
      written[name] += text
      rest.at(-1)?.()
      return true
    }
  }
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
  process.argv = [process.execPath, main, ...args]
  process.exitCode = undefined
  process.chdir(cwd ?? home)
  runs += 1
  const exited = new Promise((resolve) => {
    process.exit = resolve
  })
  const ended = import(`${pathToFileURL(main)}?run=${runs}`).then(
    () => process.exitCode ?? 0,
    (error) => {
      written.stderr += error.stack
      return 1
    },
  )
  const code = await Promise.race([exited, ended])
  process.chdir(home)
  return { code, ...written }
}
