/** Gives a call 2 seconds. It is not stopped, so it may still succeed: the job's ID covers that. */
export async function inTime<Result>(call: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the engine did not answer')), 2000)
  })
  return Promise.race([call, late]).finally(() => clearTimeout(timer))
}
