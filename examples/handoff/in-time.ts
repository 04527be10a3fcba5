/** Gives a call 2 seconds. It is not stopped, so it may still succeed: the job's ID covers that. */
export function inTime<Result>(call: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('the engine did not answer')),
      2000,
    )
    call.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
