import type { RequestHandler } from '@sveltejs/kit'

export const POST: RequestHandler = () => new Response('thank you')
