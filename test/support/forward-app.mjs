// An app behind `hookgate listen --forward-to`, to be killed: `node forward-app.mjs PORT FILE`.
// It appends a line to FILE for each event that it has done, says `began ID` and `done ID`, and only then answers.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [, , port, file] = process.argv

const server = createServer((request, response) => {
  const id = request.headers['webhook-event-id']
  request.resume().on('end', () => {
    process.send(`began ${id}`)
    setImmediate(() => {
      appendFileSync(file, `${id}\n`)
      process.send(`done ${id}`)
      setImmediate(() => response.end())
    })
  })
})
server.listen(Number(port), '127.0.0.1', () => process.send(`listening ${server.address().port}`))
server.on('error', () => process.exit(1))
