import { app } from '@azure/functions'
import { handle } from './handle.ts'

app.http('stripe', {
  methods: ['POST'],
  authLevel: 'anonymous', // the signature is the key
  route: 'webhooks/stripe',
  handler({ url, method, headers, body }) {
    return handle(new Request(url, { method, headers, body, duplex: 'half' }))
  },
})
