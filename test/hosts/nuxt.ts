// server/routes/webhooks/stripe.post.ts, with listener.ts and handle.ts in server/utils
export default defineEventHandler((event) => handle(toWebRequest(event), { sourceIp: getRequestIP(event) }))
