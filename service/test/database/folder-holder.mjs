// Tries to take the folder whenever it is told to, and reports the result. Holds the folder until it is killed.
const [, , lock, folder] = process.argv
const { lockFolder } = await import(lock)
process.on('message', async () => {
  process.send(await lockFolder(folder).then(() => 'mine', String))
})
process.send('ready')
