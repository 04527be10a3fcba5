const STORED = 'hookgate-inspector-token'

/** Moves the token from the fragment, which servers never see, into this tab's storage. */
function readToken() {
  const [, given] = location.hash.match(/^#([\w-]{43})$/) ?? []
  if (given) {
    sessionStorage.setItem(STORED, given)
    history.replaceState(null, '', location.pathname + location.search)
  }
  return sessionStorage.getItem(STORED) ?? ''
}

const authorization = `Bearer ${readToken()}`

const GONE = 'hookgate listen does not answer: start it, and open the address that it prints.'

/** @throws Error with the server's own message. */
export async function ask(path, body) {
  const post = { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`api/${path}`, {
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && post),
  }).catch(() => Response.error())
  if (response.ok) return response
  const { error = GONE } = await response.json().catch(() => ({}))
  throw new Error(error)
}

const RETRY_MS = 1000

/**
 * Calls `on[event](data)` for each frame, and reconnects when the connection ends. Hidden tabs disconnect: browsers open only
 * six connections per host, and a seventh tab would wait silently.
 */
export function watch(on) {
  let hangUp
  let isElsewhere = false
  const connect = async () => {
    if (document.hidden || hangUp || isElsewhere) return
    hangUp = new AbortController()
    try {
      const response = await fetch('api/stream', { headers: { authorization }, signal: hangUp.signal })
      if (response.status === 401 || response.status === 403) return on.locked()
      await readFrames(response.body, (event, data) => {
        isElsewhere ||= event === 'elsewhere'
        on[event](data)
      })
    } catch {
      // The connection ended: reported below.
    } finally {
      hangUp = undefined
    }
    if (isElsewhere || document.hidden) return
    on.lost()
    setTimeout(connect, RETRY_MS)
  }
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return hangUp?.abort()
    isElsewhere = false
    connect()
  })
  connect()
}

async function readFrames(body, take) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const frames = (rest + value).split('\n\n')
    rest = frames.pop()
    for (const frame of frames) {
      const [, event, data] = frame.match(/^event: (\w+)\ndata: (.*)$/s)
      take(event, JSON.parse(data))
    }
  }
}
