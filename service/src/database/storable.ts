/** The code with which Postgres refuses what its encoding does not have. It is never asked: the client would write U+FFFD. */
class NotEncodableError extends Error {
  override readonly name = 'NotEncodableError'
  readonly code = '22021'
}

/** The values of a statement, as a list of its own. @throws NotEncodableError for a text with half of a surrogate pair. */
export function storable(params: readonly unknown[]): unknown[] {
  if (params.flat().every((param) => typeof param !== 'string' || param.isWellFormed())) return [...params]
  throw new NotEncodableError('a text holds half of a surrogate pair, which UTF-8 does not have')
}
