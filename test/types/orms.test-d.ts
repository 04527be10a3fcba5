import { expectTypeOf, test } from 'vitest'
import type { PostgresStore } from '../../src/stores/postgres/store.ts'

interface Tx {
  raw(text: string, values: string[]): Promise<unknown>
}
interface OtherTx extends Tx {
  save(row: object): Promise<void>
}
declare const orm: { transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> }
declare const store: PostgresStore
const executor = (tx: Tx) => ({ query: (text: string, values: string[]) => tx.raw(text, values) })

test("an event's transaction has the type that the ORM hands over", () => {
  const events = store.transactionPerEvent<Tx>({ begin: (work) => orm.transaction(work), executor })
  expectTypeOf(events.transactionOf).returns.toEqualTypeOf<Tx>()
})

test('the name of another transaction is refused', () => {
  // @ts-expect-error what begin hands over cannot save
  store.transactionPerEvent<OtherTx>({ begin: (work) => orm.transaction(work), executor })
})

test('a begin that does not resolve with the result of its work is refused', () => {
  // @ts-expect-error it resolves with nothing
  store.transactionPerEvent<Tx>({ begin: (work) => orm.transaction(work).then(() => {}), executor })
})
