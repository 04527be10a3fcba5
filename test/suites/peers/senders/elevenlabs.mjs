import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { nodeHeaders, passes, text } from './reading.mjs'

const elevenlabs = new ElevenLabsClient({ apiKey: 'not-used' })

export const verify = ({ headers, body, secret }) =>
  passes(() =>
    elevenlabs.webhooks.constructEvent(text(body), nodeHeaders(headers)['elevenlabs-signature'], secret),
  )
