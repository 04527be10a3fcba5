// Drizzle on MariaDB for test/support/store-processes.ts: effect and commit are one transaction of Drizzle.
import { attemptIn, open as onMysql2 } from '../../../stores/subjects/mysql.mjs'
import { Drizzle } from './mysql-drizzle.mjs'

export async function open({ connection }) {
  const subject = await onMysql2({ connection })
  const orm = Drizzle(connection)
  const close = () => Promise.all([subject.close(), orm.close()])
  return { ...subject, close, attempt: attemptIn((work) => orm.transaction(work), subject.store) }
}
