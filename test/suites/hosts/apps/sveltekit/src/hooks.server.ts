// src/hooks.server.ts
import type { Handle } from '@sveltejs/kit'

const SAFE = /^(?:GET|HEAD|OPTIONS)$/
const FORM =
  /^(?:$|application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)/i

/**
 * What SvelteKit checks by default, on all routes but those of
 * webhooks.
 */
export const handle: Handle = ({ event, resolve }) => {
  const { request, route, url } = event
  const { method, headers } = request
  const isForm =
    !SAFE.test(method) && FORM.test(headers.get('content-type') ?? '')
  const isForeign = headers.get('origin') !== url.origin
  if (isForm && isForeign && !route.id?.startsWith('/webhooks/')) {
    return new Response('Cross-site forms are forbidden', {
      status: 403,
    })
  }
  return resolve(event)
}
