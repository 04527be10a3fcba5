// The app's table for drizzle-kit, on both databases.
import { mysqlTable, varchar } from 'drizzle-orm/mysql-core'
import { pgTable, text } from 'drizzle-orm/pg-core'

// drizzle-kit adds a primary key of MariaDB a second time.
export const payments =
  process.env.DIALECT === 'mysql'
    ? mysqlTable('payments', { id: varchar({ length: 36 }) })
    : pgTable('payments', { id: text().primaryKey() })
