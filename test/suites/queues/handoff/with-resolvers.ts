/** Restate's SDK needs `Promise.withResolvers`, which Node has since version 22. */
Promise.withResolvers ??= <Value>() => {
  const parts: { -readonly [Name in keyof PromiseWithResolvers<Value>]?: PromiseWithResolvers<Value>[Name] } =
    {}
  parts.promise = new Promise<Value>((resolve, reject) => Object.assign(parts, { resolve, reject }))
  return parts as PromiseWithResolvers<Value> // the executor has run and assigned it
}
