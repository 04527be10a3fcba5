import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type CheckOptions, mysqlStore } from '../../src/stores/mysql/store.ts'
import { IS_MYSQL, MariadbServer, onMariadb, WHY_NO_MARIADB } from '../support/mariadb-server.ts'

describe.skipIf(WHY_NO_MARIADB)(onMariadb('who may write to the table of mysqlStore'), () => {
  let server: MariadbServer
  /** Of `root`, who sees all grants. */
  let root: mysql.Pool
  let tables = 0

  beforeAll(async () => {
    server = await MariadbServer.start('innodb-flush-log-at-trx-commit=1')
    root = mysql.createPool(server.address)
  })

  afterAll(async () => {
    await root?.end()
    await server?.remove()
  })

  async function fresh(): Promise<string> {
    tables += 1
    const table = `events_${tables}`
    await mysqlStore(root, { table }).migrate()
    return table
  }
  const fixes = async (table: string, options?: CheckOptions, client = root) =>
    (await mysqlStore(client, { table }).check(options)).map(({ fix }) => fix)
  const account = async (name: string, kind: 'USER' | 'ROLE' = 'USER') => {
    await root.query(`CREATE ${kind} ${name}`)
    onTestFinished(async () => void (await root.query(`DROP ${kind} ${name}`)))
    return name
  }
  const poolOf = (user: string) => {
    const pool = mysql.createPool({ ...server.address, user })
    onTestFinished(() => pool.end())
    return pool
  }
  const forged = (table: string) => `INSERT INTO ${table} VALUES ('key', 'orders', '', 1, NOW(6))`

  it('check() finds an account that may write, and its REVOKE ends that', async () => {
    const table = await fresh()
    const stranger = poolOf('stranger')
    await account('stranger')
    await root.query(`GRANT INSERT, SELECT, DROP ON ${table} TO stranger`)
    await stranger.query(forged(table))
    const problems = await mysqlStore(root, { table }).check()
    const revoke = `REVOKE INSERT, DROP ON \`hookgate\`.\`${table}\` FROM \`stranger\`@\`%\``
    expect(problems).toEqual([
      { problem: expect.stringMatching(/^`stranger`@`%` may INSERT, DROP on .*: it decides/), fix: revoke },
    ])
    expect(await fixes(table)).toEqual([revoke]) // check() has changed nothing
    expect(await fixes(table, { writers: ['stranger'] })).toEqual([])
    expect(await fixes(table, { writers: ['stranger@%'] })).toEqual([])
    expect(await fixes(table, { writers: ['stranger@localhost', 'strange'] })).toEqual([revoke])
    await root.query(revoke)
    expect(await fixes(table)).toEqual([])
    await expect(stranger.query(forged(table))).rejects.toThrow('denied')
  })

  it('check() finds the grants of columns, of databases by their pattern, and of the whole server', async () => {
    const table = await fresh()
    const who = await account('`spread`@`localhost`')
    const on = (target: string, rights: string) => `REVOKE ${rights} ON ${target} FROM ${who}`
    await root.query(`GRANT INSERT (done), UPDATE (done, owner), SELECT (owner) ON ${table} TO ${who}`)
    await root.query(`GRANT DELETE, SELECT, TRIGGER ON \`hook_at%\`.* TO ${who}`)
    await root.query(`GRANT ALL ON \`hook\\_at%\`.* TO ${who}`) // of another database
    await root.query(`GRANT UPDATE, SELECT ON *.* TO ${who}`)
    const found = await fixes(table)
    expect(found.toSorted()).toEqual(
      [
        on('*.*', 'UPDATE'),
        on('`hook_at%`.*', 'DELETE, TRIGGER'),
        on(`\`hookgate\`.\`${table}\``, 'INSERT, UPDATE'),
      ].toSorted(),
    )
    for (const fix of found) await root.query(fix)
    expect(await fixes(table)).toEqual([])
  })

  it('check() finds a role, and PUBLIC', async () => {
    const table = await fresh()
    const grantees = IS_MYSQL ? ['`crew`@`%`'] : ['PUBLIC', '`crew`']
    await account('crew', 'ROLE')
    for (const grantee of grantees) await root.query(`GRANT DELETE ON ${table} TO ${grantee}`)
    const found = await fixes(table)
    expect(found.toSorted()).toEqual(
      grantees.map((grantee) => `REVOKE DELETE ON \`hookgate\`.\`${table}\` FROM ${grantee}`),
    )
    for (const fix of found) await root.query(fix)
    expect(await fixes(table)).toEqual([])
  })

  it('check() names neither its own account, nor its role, nor accounts with SUPER', async () => {
    const table = await fresh()
    await account('crew', 'ROLE')
    await account('worker')
    await account('boss')
    await root.query('GRANT ALL ON *.* TO boss')
    await root.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO crew`)
    await root.query(`GRANT INSERT, SELECT ON ${table} TO worker`)
    await root.query('GRANT SELECT ON mysql.* TO worker') // sees what others may
    await root.query('GRANT crew TO worker')
    await root.query(`SET DEFAULT ROLE crew ${IS_MYSQL ? 'TO' : 'FOR'} worker`)
    expect(await fixes(table, {}, poolOf('worker'))).toEqual([])
    expect(await fixes(table, { writers: ['worker', 'crew'] })).toEqual([])
  })

  it('check() sees no grants of others with the rights of a mere writer, and has no problem with that', async () => {
    const table = await fresh()
    await account('writer')
    await account('other')
    await root.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO writer`)
    await root.query(`GRANT INSERT ON ${table} TO other`)
    expect(await fixes(table, {}, poolOf('writer'))).toEqual([])
  })

  it.each(['a`; DROP TABLE x; --', "o'brien", "a'@'b", 'Select', 'a"b', 'back\\slash', 'ünï'])(
    'the REVOKE of check() names the account %j',
    async (name) => {
      const table = await fresh()
      const quoted = await account(`\`${name.replaceAll('`', '``')}\`@\`localhost\``)
      await root.query(`GRANT INSERT ON ${table} TO ${quoted}`)
      expect(await fixes(table, { writers: [name] })).toEqual([])
      const [fix = ''] = await fixes(table, { writers: ['nobody'] })
      expect(fix).toBe(`REVOKE INSERT ON \`hookgate\`.\`${table}\` FROM ${quoted}`)
      await root.query(fix)
      expect(await fixes(table)).toEqual([])
    },
  )

  it('check() works under each sql_mode that changes quotes', async () => {
    const table = await fresh()
    await account('stranger')
    await root.query(`GRANT INSERT ON \`hookgat_\`.* TO stranger`)
    onTestFinished(async () => void (await root.query('REVOKE INSERT ON `hookgat_`.* FROM stranger')))
    const connection = await mysql.createConnection(server.address)
    connection.on('error', () => {})
    onTestFinished(() => connection.end())
    await connection.query("SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'")
    const found = await mysqlStore(connection, { table }).check()
    expect(found.map(({ fix }) => fix)).toEqual(['REVOKE INSERT ON `hookgat_`.* FROM `stranger`@`%`'])
  })

  it.each([[{ writers: 'app' }], [{ writers: [''] }], [{ writer: ['app'] }]])(
    'CFG check() takes no %j',
    async (options) => {
      const wrong = options as CheckOptions // what a program without types may pass
      await expect(mysqlStore(root).check(wrong)).rejects.toThrow(/writers/)
    },
  )
})
