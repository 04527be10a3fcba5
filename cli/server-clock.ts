/** A client, by the one method of it that is asked. */
type Asked = { readonly [method: string]: (...words: unknown[]) => Promise<unknown> }

const POSTGRES_TIME = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'

/** A Redis server's clock, in milliseconds since 1970. @param method What the client calls a command of any name. */
export async function redisTime(client: object, method: string, words: unknown): Promise<number> {
  const [seconds, microseconds] = Array.from(Object(await (client as Asked)[method]?.(words)), Number)
  return (seconds ?? Number.NaN) * 1000 + (microseconds ?? 0) / 1000
}

/** The same of a Postgres server. @param method What the client calls a statement without parameters. */
export async function postgresTime(client: object, method: string): Promise<number> {
  const answer = Object(await (client as Asked)[method]?.(POSTGRES_TIME))
  return Number((answer.rows ?? answer)[0]?.now)
}
