/** Nanoseconds that `work` takes. */
export async function timed(work) {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start)
}

export function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1]
}
