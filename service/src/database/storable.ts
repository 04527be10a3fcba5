/** Postgres's code for characters outside its encoding. Checked here, because the client would send U+FFFD instead. */
class NotEncodableError extends Error {
  override readonly name = 'NotEncodableError'
  readonly code = '22021'
}

/** Copies the values of a statement. @throws NotEncodableError for a lone surrogate. */
export function storable(params: readonly unknown[]): unknown[] {
  if (params.flat().every((param) => typeof param !== 'string' || param.isWellFormed())) return [...params]
  throw new NotEncodableError('a text holds a lone surrogate, which UTF-8 cannot encode')
}
