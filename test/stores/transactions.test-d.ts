import type { Transaction as PgliteTransaction } from '@electric-sql/pglite'
import type { PoolConnection } from 'mysql2/promise'
import type { PoolClient } from 'pg'
import type { TransactionSql } from 'postgres'
import { expectTypeOf, test } from 'vitest'
import type { WebhookEvent } from '../../src/index.ts'

declare const event: WebhookEvent

// Not in test/types, which compiles without drivers. What ORMs hand over is compiled with their programs, in test/suites/clients/orms.
test('commit takes what each driver hands over', () => {
  type Taken = NonNullable<Parameters<typeof event.commit>[0]>
  expectTypeOf<PoolClient>().toExtend<Taken>()
  expectTypeOf<TransactionSql>().toExtend<Taken>()
  expectTypeOf<PgliteTransaction>().toExtend<Taken>()
  expectTypeOf<PoolConnection>().toExtend<Taken>()
})
