import { CodedError } from '../../errors.ts'
import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'

/** A statement came after the end of its transaction. */
export class TransactionOverError extends CodedError<'ERR_TRANSACTION_OVER'> {
  constructor(options?: { readonly cause: unknown }) {
    super(
      'TransactionOverError',
      'ERR_TRANSACTION_OVER',
      'the transaction of this event has ended: it was committed, released, or open for longer than leaseSeconds, or its connection broke',
      options,
    )
  }
}

/** Makes a statement fail. */
type Refuse = (error: unknown) => void

type Callable = (...given: unknown[]) => unknown

/** Methods that run no statement, so they work after the end, e.g. to remove a listener. */
const HARMLESS: ReadonlySet<PropertyKey> = new Set(
  `on once off emit addListener removeListener removeAllListeners prependListener prependOnceListener listeners rawListeners
  listenerCount eventNames getMaxListeners setMaxListeners escapeIdentifier escapeLiteral getTypeParser setTypeParser
  array json typed types toString`.split(/\s+/),
)

/** Methods of postgres.js and Bun that return a statement, which runs when it is awaited. */
const LAZY: ReadonlySet<PropertyKey> = new Set(['unsafe', 'file'])

/** Methods that call a function with the client of a savepoint. */
const NESTING: ReadonlySet<PropertyKey> = new Set(['savepoint', 'begin', 'transaction'])

/** The methods of a lazy statement that may run it. */
const STARTS = ['then', 'catch', 'finally', 'execute', 'run']

/**
 * The door through which the statements of a transaction pass. Once closed, it lets none through: neither a new one, nor one
 * that was built before, nor one of a method that was taken off the client before.
 */
export class Door {
  readonly #outer: Door | undefined
  /** Statements that were let through and have not ended, each by what makes it fail. */
  readonly #running = new Set<Refuse>()
  /** How many savepoints have not ended. */
  #savepoints = 0
  #isClosed = false
  #isBypassed = false
  /** Called when one of them ends. */
  #waiting: (() => void)[] = []

  /** @param outer Its statements pass that door as well. */
  constructor(outer?: Door) {
    this.#outer = outer
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#outer?.isClosed === true
  }

  get isBusy(): boolean {
    return this.#running.size > 0
  }

  /** Whether the connection may have another user, who got hold of an inner part of the client. */
  get isBypassed(): boolean {
    return this.#isBypassed
  }

  close(): void {
    this.#isClosed = true
    this.#tell()
  }

  /** For a connection that broke: some clients leave its statements without an answer. */
  fail(cause: unknown): void {
    this.close()
    for (const refuse of this.#running) refuse(new TransactionOverError({ cause }))
  }

  /** Resolves when the statements that were let through have ended. */
  async idle(): Promise<void> {
    while (this.isBusy) await this.#nextEnd()
  }

  /** Resolves when the savepoints have ended, too, which takes as long as their functions, or when the transaction has. */
  async left(): Promise<void> {
    while (!this.#isOver && (this.isBusy || this.#savepoints > 0)) await this.#nextEnd()
  }

  /** Returns the client, behind this door. */
  lend<Client extends object>(client: Client): Client {
    const lent: Client = new Proxy(client, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name) // on the client itself: private members know no proxy
        if (typeof name === 'symbol' || name === 'constructor') return member
        if (typeof member === 'object' && member !== null) this.#bypass()
        // `call`, `apply` and `bind` of a client that is a function are called on what is lent.
        if (typeof member !== 'function' || member === Reflect.get(Function.prototype, name)) return member
        if (name === 'release') return () => {} // the store returns the connection
        return new Proxy(member, {
          apply: (_method, _holder, given) => call(name, member as Callable, given),
        })
      },
      apply: (target, _holder, given) => call('unsafe', target as Callable, given),
    })
    const isFunction = typeof client === 'function'
    const call = (name: string, method: Callable, given: unknown[]) => {
      const isLazy = isFunction && LAZY.has(name)
      if (this.isClosed && !isLazy && !HARMLESS.has(name)) return refuse(name, given)
      if (NESTING.has(name)) return this.#nest(given, (inside) => Reflect.apply(method, client, inside))
      const run = (changed: unknown[]) => Reflect.apply(method, client, changed)
      const hasNoPromise = name === 'query' && (callbackOf(given) || isSubmittable(given[0]))
      const result = hasNoPromise ? this.#withoutPromise(given, run) : run(given)
      if (result === client) return lent
      if (HARMLESS.has(name) || !hasMethod(result, 'then')) return result
      const isRunning = !isFunction || memberOf(result, 'constructor') === Promise
      return isRunning ? this.#awaited(result as Promise<unknown>) : this.#guarded(result as LazyStatement)
    }
    return lent
  }

  /** Returns the transaction of an ORM, whose members can be reached, and called, until this door is closed. */
  lendMembers<Tx extends object>(tx: Tx): Tx {
    const check = () => {
      if (this.isClosed) throw new TransactionOverError()
    }
    return new Proxy(tx, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name) // on the transaction itself: private members know no proxy
        // What looks at it, e.g. an `await` or a logger, still may.
        if (member === undefined || typeof name === 'symbol' || name === 'constructor') return member
        check()
        if (typeof member !== 'function' || isFixed(target, name)) return member
        return new Proxy(member, {
          apply: (method, _holder, given) => {
            check()
            return Reflect.apply(method, target, given)
          },
        })
      },
      apply: (target, holder, given) => {
        check()
        return Reflect.apply(target as Callable, holder, given) // only a function is called
      },
    })
  }

  /** For what the client is made of, e.g. its queue: it runs statements that pass no door. */
  #bypass(): void {
    if (this.isClosed) throw new TransactionOverError()
    this.#isBypassed = true
    if (this.#outer) this.#outer.#isBypassed = true
  }

  /** Watches a statement of pg that ends with its callback, or is of a class of its own, e.g. a cursor. */
  #withoutPromise(given: unknown[], run: (given: unknown[]) => unknown): unknown {
    const refuse = () => {} // pg itself fails them if the connection breaks
    const hearing =
      (told: Callable) =>
      (...news: unknown[]) => {
        this.#ended(refuse)
        return told(...news)
      }
    const [statement, values] = given
    const callback = callbackOf(given)
    let heard = given
    if (isSubmittable(statement)) {
      statement.handleError = hearing(statement.handleError.bind(statement))
      statement.handleReadyForQuery = hearing(statement.handleReadyForQuery.bind(statement))
    } else if (callback) {
      heard = [statement, values === callback ? undefined : values, hearing(callback)]
    }
    const result = run(heard)
    this.#began(refuse)
    return result
  }

  /** Begins a savepoint. Its client is lent until its function is done. */
  #nest(given: readonly unknown[], begin: (inside: unknown[]) => unknown): Promise<unknown> {
    let refuse: Refuse = () => {}
    const refused = new Promise<never>((_, reject) => {
      refuse = reject
    })
    // The client's own statements count as running, but not the function.
    this.#began(refuse)
    const inside =
      (work: unknown) =>
      async (client: object, ...others: unknown[]) => {
        this.#ended(refuse)
        const door = new Door(this)
        try {
          const result: unknown = Reflect.apply(work as Callable, undefined, [door.lend(client), ...others])
          return await (Array.isArray(result) ? Promise.all(result) : result)
        } finally {
          door.close()
          if (this.#isOver) {
            refuse(new TransactionOverError())
            // The client would send ROLLBACK TO or RELEASE, perhaps into another transaction, which has a savepoint of that name.
            await new Promise(() => {})
          }
          this.#began(refuse)
        }
      }
    const begun = async () => begin(given.map((one) => (typeof one === 'function' ? inside(one) : one)))
    this.#savepoints += 1
    return Promise.race([begun(), refused]).finally(() => {
      this.#savepoints -= 1
      this.#ended(refuse)
    })
  }

  /** Whether the whole transaction has ended. */
  get #isOver(): boolean {
    return this.#outer ? this.#outer.#isOver : this.#isClosed
  }

  #guarded(statement: LazyStatement): LazyStatement {
    if (typeof statement.handler === 'function') this.#guardHandler(statement, statement.handler)
    else this.#guardStarts(statement)
    return statement
  }

  #awaited(running: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const ended = () => this.#ended(reject)
      this.#began(reject)
      running.then(resolve, reject).then(ended)
    })
  }

  /** A statement of postgres.js: however it is run, its `handler` sends it. */
  #guardHandler(statement: LazyStatement, handler: Callable): void {
    const guarded = (given: LazyStatement) => {
      const { reject } = given
      const refuse = (error: unknown) => reject?.(error)
      if (this.isClosed) return refuse(new TransactionOverError())
      given.reject = (error) => {
        if (memberOf(error, 'severity') === 'ERROR') return refuse(error)
        // If the connection broke, the door closes in this turn. A statement sent before that ends the process, by a timer.
        setTimeout(() => refuse(error), 0)
      }
      // The promise of a cursor never settles. The end waits for it all the same, because a connection takes turns.
      if (given.cursorFn === undefined) this.#count(given, refuse)
      return handler(given)
    }
    statement.handler = Object.assign(guarded, handler)
  }

  /** Any other statement, e.g. of Bun: each method that may run it asks first. */
  #guardStarts(statement: LazyStatement): void {
    let hasRun = false
    const { then } = statement
    for (const name of STARTS) {
      const start: unknown = memberOf(statement, name)
      if (typeof start !== 'function') continue
      const value = (...given: unknown[]) => {
        if (!hasRun && this.isClosed) {
          const refused = Promise.reject(new TransactionOverError())
          const again: unknown = memberOf(refused, name)
          return typeof again === 'function' ? Reflect.apply(again, refused, given) : refused
        }
        const isFirst = !hasRun
        hasRun = true
        const result = Reflect.apply(start, statement, given)
        if (isFirst)
          this.#count(new Promise((resolve, reject) => void then.call(statement, resolve, reject)), () => {})
        return result
      }
      Object.defineProperty(statement, name, { value, configurable: true, writable: true })
    }
  }

  /** Watches a statement whose failure its client watches, too. */
  #count(statement: PromiseLike<unknown>, refuse: Refuse): void {
    const ended = () => this.#ended(refuse)
    this.#began(refuse)
    statement.then(ended, ended)
  }

  #began(statement: Refuse): void {
    this.#running.add(statement)
    if (this.#outer) this.#outer.#began(statement)
  }

  #ended(statement: Refuse): void {
    this.#running.delete(statement)
    this.#tell()
    if (this.#outer) this.#outer.#ended(statement)
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #nextEnd(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

/** Whether a proxy has to show this very member. */
function isFixed(target: object, name: PropertyKey): boolean {
  const own = Reflect.getOwnPropertyDescriptor(target, name)
  return own?.configurable === false && own.writable === false
}

/** A statement that runs once it is awaited. */
interface LazyStatement extends PromiseLike<unknown> {
  /** In postgres.js: sends it. */
  handler?: Callable
  /** In postgres.js. */
  reject?: Refuse | undefined
  readonly cursorFn?: unknown
}

/** Fails in the form of the call: for pg by its callback, or as its client fails a statement of another class, such as a cursor. */
function refuse(name: string, given: readonly unknown[]): unknown {
  const error = new TransactionOverError()
  const [statement] = given
  const callback = callbackOf(given)
  if (name !== 'query' || !(callback || isSubmittable(statement))) return Promise.reject(error)
  if (!isSubmittable(statement)) return void queueMicrotask(() => callback?.(error))
  statement.callback ??= callback
  queueMicrotask(() => statement.handleError(error))
  return statement
}

/** What pg calls at the end of a statement, if anything. */
function callbackOf(given: readonly unknown[]): Callable | undefined {
  const isCallable = (one: unknown): one is Callable => typeof one === 'function'
  return [given.at(-1), memberOf(given[0], 'callback')].find(isCallable)
}

/** What pg calls a statement of its own or another class. */
interface Submittable {
  callback?: unknown
  handleError: Callable
  handleReadyForQuery: Callable
}

function isSubmittable(statement: unknown): statement is Submittable {
  return ['submit', 'handleError', 'handleReadyForQuery'].every((name) => hasMethod(statement, name))
}
