/** A client with a method for arbitrary commands. */
type Asked = { readonly [method: string]: (...words: unknown[]) => Promise<unknown> }

const POSTGRES_TIME = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'

/** Reads a Redis server's clock, in milliseconds since 1970. @param method The client's method for arbitrary commands. */
export async function redisTime(client: object, method: string, words: unknown): Promise<number> {
  const [seconds, microseconds] = Array.from(Object(await (client as Asked)[method]?.(words)), Number)
  return (seconds ?? Number.NaN) * 1000 + (microseconds ?? 0) / 1000
}

/** Reads a Postgres server's clock. @param method The client's method for statements without parameters. */
export async function postgresTime(client: object, method: string): Promise<number> {
  const answer = Object(await (client as Asked)[method]?.(POSTGRES_TIME))
  return Number((answer.rows ?? answer)[0]?.now)
}
