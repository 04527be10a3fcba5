import { expect, it } from 'vitest'
import { newSender, sendAccepted, workAll } from '../support/automations.ts'
import { describeService, type Subject } from '../support/databases.ts'

const basic = (token: string, name = 'anybody') =>
  `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`

const PATHS = ['/', '/overview/latest']

function open({ app }: Pick<Subject, 'app'>, path: string, authorization?: string) {
  return app.request(path, { headers: { ...(authorization && { authorization }) } })
}

describeService('the overview', (subject) => {
  it.each(PATHS)('the overview requires a token at %s, for which only the page prompts', async (path) => {
    for (const wrong of [
      undefined,
      basic('svc_demo_wrong'),
      basic(`${subject.token}x`),
      'Basic',
      'Basic ÿ',
    ]) {
      const reply = await open(subject, path, wrong && encodeURI(wrong))
      expect([wrong, reply.status]).toEqual([wrong, 401])
      expect(reply.headers.get('www-authenticate')).toBe(
        path === '/' ? 'Basic realm="hookgate service", charset="UTF-8"' : null,
      )
      expect(await reply.text()).not.toContain('Listeners')
    }
  })

  it('the overview accepts a super admin’s token as a password or a bearer token', async () => {
    for (const authorization of [basic(subject.token), basic(subject.token, ''), `Bearer ${subject.token}`]) {
      expect((await open(subject, '/', authorization)).status).toBe(200)
      expect(await (await open(subject, '/overview/latest', authorization)).text()).toContain('Listeners')
    }
  })

  it.each(['operator', 'viewer'] as const)(
    'the overview refuses the token of an %s, because inputs are private',
    async (role) => {
      const token = await subject.tokenWith(role)
      for (const path of PATHS) {
        const reply = await open(subject, path, basic(token))
        expect(reply.status).toBe(403)
        expect(await reply.text()).toContain('a private window') // the browser sends this token again, and never asks
      }
    },
  )

  it('the overview keeps the remembered password useless for the API, so other pages cannot exploit it', async () => {
    expect((await open(subject, '/api/v1/policies', basic(subject.token))).status).toBe(401)
  })

  it.each(PATHS)(
    'the overview forbids inline code, other origins, frames and caching at %s',
    async (path) => {
      const { headers } = await open(subject, path, basic(subject.token))
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    },
  )

  it('the overview shows runs with inputs, outcomes and errors, tasks with their steps, and listeners', async () => {
    const sender = await newSender(subject, { steps: [{ type: 'skip_step', taskIdCel: 'ctx.trigger.task' }] })
    await sendAccepted(subject, sender, { task: 2 })
    await sendAccepted(subject, sender, { task: 'none & nowhere' })
    await workAll(subject)
    const text = await (await open(subject, '/overview/latest', basic(subject.token))).text()
    expect(text).toContain('{&quot;task&quot;:2}')
    expect(text).toContain('{&quot;task&quot;:&quot;none &amp; nowhere&quot;}')
    expect(text).toMatch(/skip_step <span class="badge" data-state="done">done<\/span>/)
    expect(text).toContain('task_unknown: No task has this ID')
    expect(text).toContain(`/api/v1/webhooks/incoming/${sender.listenerId}`)
    expect(text).toMatch(/<h3>2\. [^<]+ <span class="badge" data-state="open">open/)
    expect(text).toMatch(/approval <span class="badge" data-state="active">active/)
    expect(text).toMatch(/provision <span class="badge" data-state="to come">to come/)
    expect(text).not.toContain(sender.secret)
  })

  it('the overview answers its script 304 until something changes, to one browser like to another', async () => {
    const ask = async (etag: string) => {
      const headers = { authorization: basic(subject.token), 'if-none-match': etag }
      return subject.app.request('/overview/latest', { headers })
    }
    const first = await ask('')
    const etag = first.headers.get('etag') ?? ''
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await first.text()).toContain('<main>')
    const replies = await Promise.all([ask(etag), ask(etag)])
    expect(replies.map(({ status }) => status)).toEqual([304, 304])
    await sendAccepted(subject, await newSender(subject))
    const changed = await Promise.all([ask(etag), ask(etag)])
    expect(changed.map(({ status }) => status)).toEqual([200, 200])
    expect(changed.map(({ headers }) => headers.get('etag'))).not.toContain(etag)
  })

  it('the overview answers 401 to the script of a revoked token, without a prompt, and 200 to others', async () => {
    const token = await subject.tokenWith('super_admin')
    expect((await open(subject, '/overview/latest', basic(token))).status).toBe(200)
    const id = token.split('_')[1]
    await subject.database.query('UPDATE access_tokens SET revoked_at = now() WHERE id = $1', [id])
    const reply = await open(subject, '/overview/latest', basic(token))
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, null])
    expect((await open(subject, '/overview/latest', basic(subject.token))).status).toBe(200)
  })

  it('the overview shows tasks first, inputs closed, and times that people can read', async () => {
    const sender = await newSender(subject)
    await sendAccepted(subject, sender)
    const text = await (await open(subject, '/overview/latest', basic(subject.token))).text()
    const headings = [...text.matchAll(/<h2>(\w+)<\/h2>/g)].map(([, heading]) => heading)
    expect(headings).toEqual(['Tasks', 'Runs', 'Listeners'])
    expect(text).not.toContain('<details open')
    expect(text).toMatch(/<time datetime="[^"]+Z">\d+ \w+ \d{4}(,| at) \d\d:\d\d:\d\d UTC<\/time>/)
  })
})
