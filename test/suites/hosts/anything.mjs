import { defineScheme } from 'hookgate/schemes'

/** A sender of any content type, whose signature covers the exact bytes. */
export const anything = defineScheme({
  name: 'anything',
  sender: 'A sender of this test',
  secretName: 'secret',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'x-event-id' },
  content: [
    {
      mediaTypes: ['*'],
      contentType: 'text/plain',
      read: (body) => new TextDecoder().decode(body),
      write: (event) => new Uint8Array(event),
    },
  ],
  maxBodyBytes: 65_536,
  limits: 'The headers are not signed.',
})
