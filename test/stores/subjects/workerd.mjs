/**
 * A client of test/workerd/served/worker.ts, which passes calls on to its stores. Config: `{ url, engine }`, where
 * `engine` is `d1` or `durable-object`.
 */
export async function open({ url, engine }) {
  const ask = (verb) => async (key, owner, ms) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ engine, verb, key, owner, ms: ms ?? 0 }),
    })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return response.json()
  }
  return {
    store: { claim: ask('claim'), commit: ask('commit'), release: ask('release'), renew: ask('renew') },
  }
}
