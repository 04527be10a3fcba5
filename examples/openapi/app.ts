import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { standardWebhooks } from 'hookgate/schemes/standard-webhooks'
import { memoryStore } from 'hookgate/stores/memory'
import { z } from 'zod'
import { zOrderPaid, zOrderRefunded } from './generated/zod.gen.ts'

const listener = defineListener({
  id: 'shop',
  auth: standardWebhooks({ secrets: process.env.WEBHOOK_SECRET }),
  store: memoryStore(), // one process only; otherwise Redis or Postgres
  payload: z.discriminatedUnion('type', [zOrderPaid, zOrderRefunded]),
})

export const app = express()

app.post('/webhooks/shop', verifyWebhook(listener), (req, res) => {
  const { payload } = webhookOf(req, listener)
  switch (payload.type) {
    case 'order.paid':
      console.log('ship', payload.data.id)
      break
    case 'order.refunded':
      console.log('refund', payload.data.total_amount)
  }
  res.send('done')
})
