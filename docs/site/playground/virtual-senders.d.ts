/** Made by make.mjs from the schemes of the package. */
declare module 'virtual:senders' {
  export const SENDERS: readonly {
    readonly name: string
    readonly sender: string
    readonly load: () => Promise<{ readonly [exported: string]: unknown }>
  }[]
}
