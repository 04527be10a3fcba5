import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, test } from 'vitest'
import { type Inbox, inbox } from '../../../src/inbox/index.ts'
import { postgresStore } from '../../../src/stores/postgres/store.ts'
import { CUSTOMER, shop } from '../../inbox/support.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../../support/postgres-server.ts'
import { inTerminal, NO_TERMINAL } from '../listen/in-terminal.ts'
import { runCommand } from '../shared-process.ts'
import { hookgate } from '../support.ts'

const PASSWORD = 'open%2Fsesame'
const SECRETS = [PASSWORD, decodeURIComponent(PASSWORD), CUSTOMER]

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('hookgate inbox'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  let box: Inbox
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool(server.address)
    pool.on('error', () => {})
  })
  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })
  beforeEach(async () => {
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    box = inbox(pool, { maxAttempts: 1 })
    await box.migrate()
  })

  /** With a password in the URL, which the server does not ask for, but which may not be printed. */
  const url = () => server.url.replace('hookgate@', `hookgate:${PASSWORD}@`)
  const env = () => ({ HOOKGATE_STORE: url() })

  async function run(...args: readonly string[]) {
    const ended = await runCommand(['inbox', ...args], { env: env() })
    if (!args.includes('--body'))
      for (const secret of SECRETS) expect(JSON.stringify(ended)).not.toContain(secret)
    return ended
  }
  const said = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args)
    return `${code} ${stdout}${stderr}`
  }

  /** Puts these events, and runs them, until each is dead or done. */
  async function settle(types: readonly string[], message?: string) {
    const { listener, put } = shop(box)
    const events: string[] = []
    for (const type of types) events.push(await put(type))
    const handler = () => {
      if (message !== undefined) throw new TypeError(message)
    }
    const worker = box.work(listener, handler, { pollMs: 20, onError: null })
    const state = message === undefined ? 'done' : 'dead'
    await expect.poll(async () => (await box.counts())[state]).toBeGreaterThanOrEqual(types.length)
    await worker.stop()
    return events
  }
  const idOf = async (eventId: string) => (await box.get({ listener: 'stripe', eventId }))[0]?.id ?? ''

  it('prints for each listener what waits, runs, is dead and done, and how old the oldest is', async () => {
    expect(await said()).toBe('0 the inbox is empty\n')
    await settle(['invoice.paid', 'invoice.paid'], 'no')
    await shop(box, 'a much longer name').put()
    await pool.query(
      `UPDATE hookgate_inbox SET put_at = put_at - interval '185 minutes' WHERE state = 'waiting'`,
    )
    expect((await run()).stdout).toBe(
      `LISTENER            WAITING  RUNNING  HELD  DEAD  DONE  OLDEST WAITING
a much longer name        1        0     0     0     0             3 h
stripe                    0        0     0     2     0               -
`,
    )
    expect(JSON.parse((await run('--json')).stdout)).toEqual({
      table: 'hookgate_inbox',
      listeners: [
        {
          listener: 'a much longer name',
          waiting: 1,
          running: 0,
          held: 0,
          dead: 0,
          done: 0,
          oldest: expect.stringMatching(/Z$/),
        },
        { listener: 'stripe', waiting: 0, running: 0, held: 0, dead: 2, done: 0, oldest: null },
      ],
    })
  })

  it('lists dead jobs, with what the handler threw, but not what that quotes', async () => {
    await settle(['invoice.paid'], `duplicate key: Key (name)=(${CUSTOMER}) and '${CUSTOMER}'`)
    await shop(box).put('charge.failed', 'evt_waits')
    const id = await idOf('evt_1')
    const { stdout, stderr } = await run('list', '--dead')
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`
    expect(stdout).toMatch(
      new RegExp(
        `^${id}  dead, 1 attempt, put ${time}\n {2}stripe {2}invoice.paid {2}evt_1\n {2}TypeError: duplicate key: Key .*\n$`,
      ),
    )
    expect(stderr).toBe('')
    const json = (await run('list', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(json).toMatchObject([
      { eventId: 'evt_waits', type: 'charge.failed', state: 'waiting', error: null, hasBody: true },
      { id, eventId: 'evt_1', state: 'dead', dueAt: null, error: expect.stringContaining('TypeError: ') },
    ])
    expect((await run('list', '--dead', '--type', 'charge.failed')).stderr).toBe('no jobs\n')
  })

  it('lists page by page, and says how to go on', async () => {
    for (let count = 0; count < 3; count += 1) await shop(box).put(undefined, `evt_${count}`)
    const { stdout, stderr } = await run('list', '--limit', '2')
    expect(stdout.match(/evt_\d/g)).toEqual(['evt_2', 'evt_1'])
    const [, before = ''] = /^for more: the same with --before (job_\S+)\n$/.exec(stderr) ?? []
    expect((await run('list', '--before', before)).stdout.match(/evt_\d/g)).toEqual(['evt_0'])
    const dated = await run('list', '--limit', '2', '--before', '2126-01-01')
    expect(dated.stderr).toBe(`for more: the same with --before 2126-01-01 --before ${before}\n`)
    const both = ['--before', '2126-01-01', '--before', before]
    expect((await run('list', ...both)).stdout.match(/evt_\d/g)).toEqual(['evt_0'])
    expect((await run('list', '--before', '2026-01-01', '--before', before)).stderr).toBe('no jobs\n')
    expect((await run('list', '--before', '2026-01-01')).stderr).toBe('no jobs\n')
    expect((await run('list', '--before', '2126-01-01T00:00+02:00')).stdout.match(/evt_\d/g)).toHaveLength(3)
  })

  it('shows a job by its ID and by its event, and the payload with --body alone', async () => {
    const [eventId = ''] = await settle(['invoice.paid'], `no ${CUSTOMER.slice(0, 4)} "${CUSTOMER}"`)
    const id = await idOf(eventId)
    const { stdout } = await run('show', id)
    expect(stdout).toContain(
      `job       ${id}\nlistener  stripe\nevent     evt_1\ntype      invoice.paid\nstate     dead, 1 attempt\n`,
    )
    expect(stdout).toMatch(/body {6}kept: --body shows it\n$/)
    expect((await run('show', '--listener', 'stripe', '--event', eventId)).stdout).toBe(stdout)
    const whole = (await run('show', id, '--body')).stdout
    expect(whole).toContain(`error     TypeError: no the- "${CUSTOMER}"\n`)
    expect(whole).toContain(`    "data": {\n      "object": {\n`)
    expect(whole).toContain(`"name": "${CUSTOMER}"`)
    const json = JSON.parse((await run('show', id, '--body', '--json')).stdout)
    expect(JSON.parse(json.body).data.object.name).toBe(CUSTOMER)
    expect(await said('show', '--listener', 'stripe', '--event', 'evt_9')).toMatch(
      /^1 hookgate inbox show: no such job: /,
    )
  })

  it('runs a dead job again, and no other one', async () => {
    const [one = '', other = ''] = await settle(['invoice.paid', 'invoice.paid'], 'no')
    expect(await said('again', await idOf(one))).toBe('0 1 job runs again\n')
    expect(await box.list({ state: 'dead' })).toMatchObject([{ eventId: other }])
    expect(
      JSON.parse((await run('again', '--listener', 'stripe', '--event', other, '--json')).stdout),
    ).toEqual({
      changed: 1,
      refused: 0,
    })
    expect(await box.list({ state: 'dead' })).toEqual([])
  })

  it('asks before it changes more than one: refuses without a terminal, unless --yes, and changes nothing', async () => {
    await settle(['invoice.paid', 'charge.failed', 'invoice.paid'], 'no')
    for (const verb of ['again', 'forget']) {
      expect(await said(verb, '--dead', '--type', 'invoice.paid')).toBe(
        `2 hookgate inbox ${verb}: would change 2 jobs, and cannot ask without a terminal: add --yes\nSee: hookgate inbox ${verb} --help\n`,
      )
      expect(await box.counts()).toMatchObject({ dead: 3 })
    }
    expect(await said('again', '--dead', '--type', 'charge.failed')).toBe('0 1 job runs again\n') // one needs no --yes
    expect(await said('again', '--dead', '--type', 'invoice.paid', '--yes')).toBe('0 2 jobs run again\n')
    expect(await said('again', '--dead', '--yes')).toBe('0 0 jobs run again\n')
    expect(await box.counts()).toMatchObject({ dead: 0, waiting: 3 })
  })

  it.skipIf(NO_TERMINAL)(`asks in a terminal: only a yes changes anything${NO_TERMINAL}`, async () => {
    await settle(['invoice.paid', 'invoice.paid'], 'no')
    const QUESTION = /Forget 2 jobs\? Their events run only if their senders send them again\. \[y\/N\] /
    for (const [answer, shown, dead] of [
      ['\r', /nothing was changed/, 2],
      ['\u0003', /nothing was changed/, 2],
      ['yes, please\r', /nothing was changed/, 2],
      ['y\r', /2 jobs forgotten/, 0],
    ] as const) {
      const terminal = inTerminal('inbox forget --dead', env())
      await terminal.shown(QUESTION)
      terminal.press(answer)
      await terminal.shown(shown)
      await terminal.ended
      expect(await box.counts()).toMatchObject({ dead })
    }
  })

  it.skipIf(NO_TERMINAL)(`what runs again while it asks is not forgotten${NO_TERMINAL}`, async () => {
    const [eventId = ''] = await settle(['invoice.paid', 'invoice.paid'], 'no')
    const terminal = inTerminal('inbox forget --dead', env())
    await terminal.shown(/Forget 2 jobs/)
    await box.again(await idOf(eventId))
    terminal.press('y\r')
    await terminal.shown(/1 job forgotten\s+1 job left alone: running, or changed meanwhile/)
    await terminal.ended
    expect(await box.counts()).toMatchObject({ dead: 0, waiting: 1 })
  })

  it('of more than a page, changes none that was put again after --before', async () => {
    const [eventId] = await settle(['invoice.paid'], 'no')
    const copied = `listener_id, owner, state, due_at, attempts, id, type, error, envelope`
    await pool.query(
      `INSERT INTO hookgate_inbox (key, put_at, ${copied})
      SELECT gen_random_uuid(), '2026-01-01', ${copied} FROM hookgate_inbox, generate_series(1, 1000)`,
    )
    expect(await said('forget', '--dead', '--before', '2026-02-01', '--yes')).toBe('0 1,000 jobs forgotten\n')
    expect((await box.list()).map((job) => job.eventId)).toEqual([eventId])
  })

  it('forgets what was done, so that the resend runs', async () => {
    const [eventId = ''] = await settle(['customer.updated', 'invoice.paid'])
    const { deliver, listener, put } = shop(box)
    await expect(put('customer.updated', eventId)).rejects.toThrow('event_duplicate')
    expect(await said('again', await idOf(eventId))).toMatch(
      /^1 1 job left alone: running, changed meanwhile, or done without a body/,
    )
    expect(await said('forget', '--done', '--type', 'customer.updated')).toBe('0 1 job forgotten\n')
    expect(listener.id).toBe('stripe')
    expect(await deliver(eventId)).toBeDefined()
    await put('customer.updated', eventId)
    expect(await box.counts()).toMatchObject({ waiting: 1, done: 1 })
  })

  it('leaves a job that runs alone, and says so', async () => {
    const eventId = await shop(box).put()
    await pool.query(`UPDATE hookgate_inbox SET worker = 'w', due_at = now() + interval '1 h'`)
    const id = await idOf(eventId)
    expect(await said('forget', id)).toBe('1 1 job left alone: running, or changed meanwhile\n')
    expect(JSON.parse((await run('again', id, '--json')).stdout)).toEqual({ changed: 0, refused: 1 })
    expect(await said('list', '--running')).toContain(eventId)
  })

  it('changes thousands portion by portion, and tells how far it is', async () => {
    await pool.query(`INSERT INTO hookgate_inbox (key, listener_id, owner, state, due_at, put_at, id, type, envelope)
      SELECT gen_random_uuid(), 'stripe', 'o.' || n, 'dead', now(), now(), 'evt_' || n, 'invoice.paid', '{}' FROM generate_series(1, 3210) AS n`)
    await pool.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
      CREATE TRIGGER slow AFTER UPDATE ON hookgate_inbox FOR EACH STATEMENT EXECUTE FUNCTION slow()`)
    const { stdout, stderr } = await run('again', '--dead', '--yes')
    expect(stdout).toBe('3,210 jobs run again\n')
    expect(stderr).toMatch(/^(?:[\d,]+ of 3,210 jobs\n)+$/)
    expect(await box.counts()).toMatchObject({ dead: 0, waiting: 3210 })
  })

  it('prints nothing that moves a terminal, whatever a sender or a handler chose', async () => {
    const odd = 'a\u0000\u001b[2J\u007f\u009b\u202e\u2028\n\t"\ud800'
    const { listener, put } = shop(box, `L${odd.slice(0, -1)}`)
    await put(odd, odd)
    const worker = box.work(
      listener,
      () => {
        throw new Error(`no\u001b[2J ${odd}`)
      },
      { pollMs: 20, onError: null },
    )
    onTestFinished(() => worker.stop())
    await expect.poll(() => box.counts()).toMatchObject({ dead: 1 })
    const [job] = await box.list()
    const id = job?.id ?? ''
    for (const args of [[], ['list'], ['show', id], ['show', id, '--body'], ['--json'], ['list', '--json']]) {
      const { stdout } = await run(...args)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what may not be printed
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028\ufffd]/)
      expect(stdout).toContain('\\u001b[2J')
    }
    expect((await run('show', id)).stdout).toContain('\\ud800')
    expect(await said('again', id)).toBe('0 1 job runs again\n')
  })

  it('finds an inbox of any name, and asks which if there are several', async () => {
    await pool.query('DROP TABLE hookgate_inbox; CREATE SCHEMA IF NOT EXISTS jobs')
    onTestFinished(async () => void (await pool.query('DROP SCHEMA jobs CASCADE')))
    expect(await said()).toMatch(/^1 hookgate inbox: no inbox is there: run `await box\.migrate\(\)` once/)
    await inbox(pool, { table: 'jobs.in' }).migrate()
    expect(JSON.parse((await run('--json')).stdout)).toEqual({ table: 'jobs.in', listeners: [] })
    await box.migrate()
    expect(await said()).toContain('2 hookgate inbox: there are several: give --store-table ')
    expect(await said('--store-table', 'jobs.in')).toBe('0 the inbox is empty\n')
    expect(await said('--store-table', 'nowhere')).toMatch(
      /^1 .*the table of the inbox is missing: run `await box\.migrate\(\)` once/,
    )
    expect(await said('--store-table', 'a"b')).toMatch(/^2 hookgate inbox: --store-table must be a name/)
  })

  it('says how to mend a table of an earlier version', async () => {
    await pool.query('ALTER TABLE hookgate_inbox DROP COLUMN number')
    expect(await said('list')).toMatch(/^1 .*of an earlier version: run `await box\.migrate\(\)` once/)
  })

  it('takes no other table for an inbox', async () => {
    await postgresStore(pool).migrate()
    const other = '2 hookgate inbox list: --store-table is a table of events, not an inbox\n'
    expect(await said('list', '--store-table', 'hookgate_events')).toContain(other)
  })

  it('lists on a server that may only be read, and says why it changes nothing there', async () => {
    await settle(['invoice.paid'], 'no')
    const id = await idOf('evt_1')
    await pool.query('ALTER DATABASE postgres SET default_transaction_read_only = on')
    onTestFinished(async () => {
      await pool.query(
        'SET default_transaction_read_only = off; ALTER DATABASE postgres RESET default_transaction_read_only',
      )
    })
    expect((await run('list', '--dead')).stdout).toContain(id)
    expect(await said('again', id)).toMatch(
      /^1 hookgate inbox again: .*this server or session is read-only: connect to the primary/,
    )
  })

  it('names what is wrong with an ID, and repeats nothing of it', async () => {
    for (const verb of ['show', 'again', 'forget'])
      expect(await said(verb, CUSTOMER.replace('customer', 'stranger'))).toBe(
        `2 hookgate inbox ${verb}: ID must be one that hookgate inbox list prints, such as job_…; for an event of the sender, give --listener NAME --event ID\nSee: hookgate inbox ${verb} --help\n`,
      )
  })

  it('says without a secret that a server is away, in a process of its own', async () => {
    const store = `postgres://me:${PASSWORD}@127.0.0.1:1/app?application_name=${CUSTOMER}`
    const { code, stdout, stderr } = await hookgate(['inbox', 'again', '--dead', '--store', store])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^hookgate inbox again: postgres:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*; start the server, or correct --store/,
    )
    for (const secret of SECRETS) expect(stderr).not.toContain(secret)
  })

  it('ends by itself in a process of its own, and its exit code tells', async () => {
    const [eventId = ''] = await settle(['invoice.paid'], 'no')
    expect(await hookgate(['inbox', 'again', await idOf(eventId), '--store', url()])).toEqual({
      code: 0,
      stdout: '1 job runs again\n',
      stderr: '',
    })
  })
})

const STORE = ['--store', 'postgres://127.0.0.1:1/app']

test.each<[readonly string[], string]>([
  [['inbox'], 'needs --store postgres://HOST/DATABASE, or HOOKGATE_STORE'],
  [
    ['inbox', '--store', 'redis://localhost'],
    'an inbox is a table in Postgres, not in redis: give --store postgres://…',
  ],
  [['inbox', '--store', 'sqlite:x.db'], 'not in sqlite'],
  [['inbox', 'lst', ...STORE], 'has no such command; did you mean inbox list?'],
  [['inbox', '\u001b[2J', ...STORE], 'has no such command; it has list, show, again, forget'],
  [['inbox', ...STORE, 'list'], 'write list first, and its options behind it: hookgate inbox list …'],
  [
    ['inbox', 'list', 'stripe', ...STORE],
    'takes no arguments, only options: --dead, --type TYPE, --listener ID',
  ],
  [['inbox', 'list', '--dead', '--done', ...STORE], 'give --dead or --done, not both'],
  [['inbox', 'list', '--limit', '0', ...STORE], '--limit takes a whole number from 1 to 1000'],
  [['inbox', 'list', '--limit', '1001', ...STORE], '--limit takes a whole number from 1 to 1000'],
  ...['29.11.2026', '2026-02-30', '2026-11-29T13:00', 'job_x', 'yesterday'].map(
    (text): [readonly string[], string] => [
      ['inbox', 'list', '--before', text, ...STORE],
      '--before takes a date (2026-11-29), a time with its zone (2026-11-29T13:00Z), or the ID of a listed job',
    ],
  ),
  [['inbox', 'show', ...STORE], 'needs an ID that hookgate inbox list prints, or --listener ID --event ID'],
  [['inbox', 'show', '--event', 'evt_1', ...STORE], 'or --listener ID --event ID'],
  [['inbox', 'show', 'job_x', '--event', 'evt_1', ...STORE], 'not both'],
  [
    ['inbox', 'again', ...STORE],
    'needs an ID that hookgate inbox list prints, --dead, --done, or --listener ID --event ID',
  ],
  [['inbox', 'again', '--type', 'invoice.paid', ...STORE], '--type needs --dead or --done'],
  [['inbox', 'again', 'job_x', '--dead', ...STORE], 'give an ID or --dead, not both'],
  [['inbox', 'forget', '--dead', '--event', 'evt_1', ...STORE], '--event is one event: leave out --dead'],
  [['inbox', 'forget', '--waiting', ...STORE], 'unknown option --waiting'],
])('hookgate %j is a usage error that says what to type', async (args, message) => {
  const ended = await runCommand(args)
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain(message)
  expect(ended.stderr).not.toContain('\u001b')
})

test.each(['list', 'show', 'again', 'forget'])(
  'hookgate inbox %s --help has an example and every option',
  async (word) => {
    const help = await runCommand(['inbox', word, '--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toMatch(new RegExp(`^hookgate inbox ${word}: `))
    expect(help.stdout).toMatch(new RegExp(`\nExamples:\n {2}hookgate inbox ${word} `))
    expect(help.stdout).toContain('--store-table NAME')
    expect(await runCommand(['help', 'inbox', word])).toEqual(help)
    expect((await runCommand(['inbox', '--help'])).stdout).toContain(`\n  inbox ${word} `)
  },
)
