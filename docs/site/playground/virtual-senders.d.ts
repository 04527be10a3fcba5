/** Made by make.mjs from the schemes of the package, as are the loaders. */
declare module 'virtual:senders' {
  export const SENDERS: readonly { readonly name: string; readonly sender: string }[]
}

declare module 'virtual:loaders' {
  export const LOADERS: ReadonlyMap<string, () => Promise<{ readonly [exported: string]: unknown }>>
}
