/** A client of test/workerd/served/worker.ts, whose stores it hands on. Config: `{ url, engine }`: `d1`, `durable-object`. */
export async function open({ url, engine }) {
  const ask = (verb) => async (key, owner, ms) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ engine, verb, key, owner, ms: ms ?? 0 }),
    })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return response.json()
  }
  return { store: { claim: ask('claim'), commit: ask('commit'), release: ask('release') } }
}
