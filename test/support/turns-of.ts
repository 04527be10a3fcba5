/** How often other work had its turn in the event loop until this one was done. */
export async function turnsOf(work: PromiseLike<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = () => {
    if (isOver) return
    turns += 1
    setImmediate(count)
  }
  setImmediate(count)
  try {
    await work
  } finally {
    isOver = true
  }
  return turns
}
