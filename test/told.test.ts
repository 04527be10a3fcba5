import { DynamoDB } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, it } from 'vitest'
import { EventStoreError } from '../src/errors.ts'
import { bring } from '../src/fixes.ts'
import { InboxError } from '../src/inbox/errors.ts'
import { dynamodbStore } from '../src/stores/dynamodb/store.ts'
import { REDIS_FIXES, SQL_FIXES, SQLITE_FIXES } from '../src/stores/fixes.ts'
import { told } from '../src/told.ts'

const failed = (cause: unknown) => new EventStoreError('the event store failed to claim', { cause })
const coded = (message: string, code: string) => Object.assign(new Error(message), { code })
const named = (message: string, name: string) => Object.assign(new Error(message), { name })

beforeAll(() => [SQL_FIXES, REDIS_FIXES, SQLITE_FIXES].forEach(bring))

describe('what is told of a cause', () => {
  it.each([
    [
      coded('relation "hookgate_events" does not exist', '42P01'),
      'relation "hookgate_events" does not exist): or connect',
    ],
    [
      coded('database "shop" does not exist', '3D000'),
      'database "shop" does not exist): correct the name of the database',
    ],
    [
      coded('password authentication failed for user "app"', '28P01'),
      `password authentication failed for user "app"): correct the client's user and password`,
    ],
    [
      coded("Access denied for user 'app'@'localhost' (using password: YES)", 'ER_ACCESS_DENIED_ERROR'),
      "Access denied for user 'app'@'…' (using password: YES)): correct",
    ],
    [
      new Error('timeout exceeded when trying to connect'),
      'timeout exceeded when trying to connect): raise the size of the pool, or release connections sooner',
    ],
    [
      coded('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'),
      'connect ECONNREFUSED 127.0.0.1:5432): start the server, or correct its address',
    ],
    [
      coded('permission denied for table hookgate_events', '42501'),
      "permission denied for table hookgate_events): grant it to the client's user",
    ],
    [
      named("You can't write against a read only replica.", 'ReplyError'),
      "You can't write against a read only replica.): connect to the primary",
    ],
    [
      new Error("OOM command not allowed when used memory > 'maxmemory'."),
      "OOM command not allowed when used memory > '…'.): raise maxmemory",
    ],
    [
      new Error("NOPERM User app has no permissions to run the 'evalsha' command"),
      "NOPERM User app has no permissions to run the '…' command): grant it",
    ],
    [
      new Error('WRONGPASS invalid username-password pair or user is disabled.'),
      'WRONGPASS invalid username-password pair',
    ],
    [named('Requested resource not found', 'ResourceNotFoundException'), 'Requested resource not found'],
    [
      coded('attempt to write a readonly database', 'SQLITE_READONLY'),
      'attempt to write a readonly database): connect',
    ],
    [coded('database is locked', 'SQLITE_BUSY'), 'database is locked): end what holds the lock on the file'],
    [
      new Error('D1_ERROR: no such table: hookgate_events: SQLITE_ERROR'),
      'D1_ERROR: no such table: hookgate_events',
    ],
    [
      new Error(
        '\nInvalid `prisma.$queryRaw()` invocation:\n\n\nRaw query failed. Code: `3D000`. Message: `database "shop" does not exist`',
      ),
      'database "shop" does not exist): correct the name of the database',
    ],
  ])('what a driver says is told, with the fix (%#)', (cause, text) => {
    expect(told(failed(cause))).toContain(`the event store failed to claim (${text}`)
  })

  it('an error of several addresses tells the first, and an ORM’s error what its driver said', () => {
    const both = new AggregateError([
      coded('connect ECONNREFUSED ::1:5432', 'ECONNREFUSED'),
      new Error('second'),
    ])
    expect(told(failed(Object.assign(both, { code: 'ECONNREFUSED' })))).toContain(
      '(connect ECONNREFUSED ::1:5432)',
    )
    const wrapped = new Error('Failed query: insert into x values ($1)\nparams: stranger', {
      cause: coded('relation "x" does not exist', '42P01'),
    })
    expect(told(failed(wrapped))).toBe(
      'the event store failed to claim (relation "x" does not exist): or connect to the database that has it',
    )
  })

  it('an error of ours tells its message, once, with what to do', () => {
    expect(told(new EventStoreError('the event store did not claim within 2000 ms'))).toBe(
      'the event store did not claim within 2000 ms: is the server slow or away, or no connection of the pool free?',
    )
    expect(told(failed(new InboxError('nothing was put')))).toBe(
      'the event store failed to claim (nothing was put)',
    )
  })

  it('a store brings what is known of its own server', async () => {
    const signature = named('The request signature does not match.', 'InvalidSignatureException')
    dynamodbStore(new DynamoDB({ region: 'eu-central-1' }))
    expect(told(failed(signature))).toContain("correct the client's user and password")
  })
})

describe('what is not told', () => {
  const SECRETS = [
    'the password is open sesame',
    'no pg_hba entry for postgres://app:open-sesame@db/shop',
    'cannot reach redis://:open-sesame@cache:6379',
    'bad option password=open-sesame',
    'the token open-sesame is unknown',
    `Duplicate entry 'open sesame' for key 'PRIMARY'`,
    `Duplicate entry 'o'open sesame' for key 'PRIMARY'`,
    'invalid input syntax for type json: "open sesame"',
    'invalid input syntax for type json: "a" open sesame"',
    'unknown command `x`, with args beginning with: `open sesame`',
    'no such order: {"note":"open sesame"}',
    'expected ["open sesame"',
    `Unexpected token 'o', "open sesame" is not valid JSON`,
    'Failed query: insert into x values ($1)\nparams: open sesame',
    'key whsec_open-sesame-0123456789abcdef0123 is unknown',
    `near 'table "t" 'open sesame'`,
    'ungültige Eingabesyntax für Typ json: »open sesame«',
    'ungültige Eingabesyntax für Typ json: „open sesame“',
    'Schlüssel »(key)=(open«sesame)« existiert bereits: »open sesame«',
    'no value of type "json": "open sesame\nof two lines"',
    'kein Wert vom Typ »json«: »open sesame\nin zwei Zeilen«',
    `no value of type "json": "open sesame${' and so on'.repeat(200)}"`,
    `kein Wert vom Typ »json«: »open sesame${' und so weiter'.repeat(200)}«`,
    'syntaxe en entrée invalide : « open sesame »',
    '型"json"の入力構文が不正です: "open sesame"',
    '重複したキー値「open sesame」',
    'x is not valid: “open sesame”',
    "Doppelter Eintrag 'open sesame' für Schlüssel 'PRIMARY'",
    'Key (key)=(open sesame) already exists.',
    'das Kennwort open sesame',
    'パスワード open sesame',
    'cannot reach postgres://app:open sesame@db/shop',
    'cannot reach postgres://app:o/open-sesame@db/shop',
    'cannot reach postgres://app:o@open-sesame@db/shop',
    'bad option PGPASSWORD=open-sesame',
    'bad option sslpassword=open-sesame',
    'bad option client_secret: open-sesame',
    'bad option clientSecret: open-sesame',
    'bad option sig=open-sesame&key=open-sesame',
    'access key open-sesame',
    "Duplicate entry 'Message: `open sesame`' for key 'PRIMARY'",
    "\nInvalid `prisma.$queryRaw()` invocation:\n\nCode: `1062`. Message: `Duplicate entry 'Message: `open sesame`' for key 'x'`",
  ]
  it.each(SECRETS)('a message is told without what may be secret or a stranger’s: %s', (message) => {
    expect(told(failed(new Error(message)))).not.toMatch(/open[ -]sesame/)
    expect(told(new Error(message))).not.toMatch(/open[ -]sesame/)
  })

  it('control characters are escaped, and a long message is cut', () => {
    expect(told(new Error('\u001b[31mred\u0007\u202e'))).toBe('\\u001b…')
    expect(told(new Error('a\u0000b \u009b2J'))).toBe('a\\u0000b \\u009b2J')
    expect(told(new Error('no '.repeat(1000))).length).toBe(241)
  })

  it.each([
    undefined,
    null,
    7,
    'text',
    {},
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    ),
    new Error(''),
  ])('what is no error is told as one without a message (%#)', (thrown) => {
    expect(told(thrown)).toBe('an error without a message')
  })

  it('what stands in quotation marks gives no advice', () => {
    expect(told(failed(new Error(`Duplicate entry 'NOAUTH READONLY ECONNREFUSED' for key 'PRIMARY'`)))).toBe(
      `the event store failed to claim (Duplicate entry '…')`,
    )
    expect(told(failed(new Error('142501 rows, 728000 more')))).not.toContain('grant')
  })

  it('an error that throws when it is read, or whose members do, is told all the same', () => {
    const revoked = Proxy.revocable([], {})
    revoked.revoke()
    const throws = {
      get(): never {
        throw new Error('no')
      },
    }
    expect(told(Object.assign(new Error(''), { errors: revoked.proxy }))).toBe('an error without a message')
    expect(told(Object.assign(new Error(''), { errors: new Proxy([], throws) }))).toBe(
      'an error without a message',
    )
    expect(told(new Proxy(failed(undefined), throws))).toBe('an error without a message')
  })

  it('causes in a circle end', () => {
    const error: Error = new Error('first')
    error.cause = new Error('second', { cause: error })
    expect(told(error)).toMatch(/first|second/)
  })
})
