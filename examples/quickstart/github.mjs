import { defineListener, route } from 'hookgate'
import { github } from 'hookgate/schemes/github'
import { memoryStore } from 'hookgate/stores/memory'

export const listener = defineListener({
  id: 'github',
  auth: github({ secrets: process.env.WEBHOOK_SECRET }), // the secret that you enter at GitHub
  store: memoryStore(), // for one process
})

export const handle = route(listener, {
  push: ({ payload }) => console.log('build', payload.ref),
  issues: ({ payload }) => console.log('issue', payload.action, payload.issue.number),
  pull_request: ({ payload }) => console.log('pull request', payload.action, payload.number),
  '*': () => {}, // every other event: done
})
