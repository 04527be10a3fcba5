import type Stripe from 'stripe'

/** Your own endpoint, and its signing secret. */
export interface Endpoint {
  readonly url: string
  readonly secret: string
}

/** Posts what Stripe could not deliver since then to your endpoint, oldest first. Returns the IDs that it refused. */
export async function sendMissed(stripe: Stripe, { url, secret }: Endpoint, since: Date): Promise<string[]> {
  const created = { gte: Math.floor(since.getTime() / 1000) }
  const events: Stripe.Event[] = []
  for await (const event of stripe.events.list({ created, delivery_success: false, limit: 100 })) {
    events.push(event) // they come newest first
  }
  const refused: string[] = []
  for (const event of events.toReversed()) {
    const body = JSON.stringify(event)
    const signature = await stripe.webhooks.generateTestHeaderStringAsync({ payload: body, secret })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    const response = await fetch(url, { method: 'POST', headers, body })
    if (!response.ok) refused.push(event.id)
  }
  return refused
}
