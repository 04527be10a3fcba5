/** Throws unless both serialise to the same JSON. Not every runtime has node:assert. */
export function equal(actual, expected) {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== wanted) throw new Error(`expected ${wanted}, got ${found}`)
}

/** Runs the cases one after the other, and reports how each ended. */
export async function runCases(cases) {
  const results = []
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run()
      results.push({ name, passed: true })
    } catch (error) {
      results.push({ name, passed: false, message: String(error?.stack ?? error) })
    }
  }
  return results
}
