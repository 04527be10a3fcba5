// Lambda's runtime for one function: loads its module, and answers each invocation that its host sends. The host freezes the process after
// each answer, as Lambda does, and thaws it for the next invocation.
const [, , file = '', timeoutMs = '60000'] = process.argv
const functions = await import(file)
process.on('message', async ({ name, event }) => {
  const endsAt = Date.now() + Number(timeoutMs)
  const context = { getRemainingTimeInMillis: () => endsAt - Date.now() }
  try {
    process.send({ result: await functions[name](event, context) })
  } catch (error) {
    process.send({ error: String(error) })
  }
})
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.send({ ready: true })
