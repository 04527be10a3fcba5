// Each time it is told to, tries to take the folder, and says what came of it. It holds what it has until it is killed.
const [, , lock, folder] = process.argv
const { lockFolder } = await import(lock)
process.on('message', async () => {
  process.send(await lockFolder(folder).then(() => 'mine', String))
})
process.send('ready')
