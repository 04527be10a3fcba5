import { AppStrategy, createClient } from '@wix/sdk'
import { passes, text } from './reading.mjs'

export const verify = ({ body, secret }) =>
  passes(() =>
    createClient({
      auth: AppStrategy({ appId: 'app', appSecret: 'secret', publicKey: secret }),
      modules: {},
    }).webhooks.parseJWT(text(body)),
  )
