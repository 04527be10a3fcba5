import { expect, it } from 'vitest'
import { DEMO_LISTENERS } from '../../src/demo/tenant.ts'
import { shownSecrets } from '../../src/listeners/secrets.ts'
import { describeService } from '../support/databases.ts'

describeService('the demo tenant', (subject) => {
  it('the demo HMAC listener has only the secret that is printed', async () => {
    expect(await shownSecrets(subject.database, DEMO_LISTENERS.hmac)).toHaveLength(1)
  })
})
