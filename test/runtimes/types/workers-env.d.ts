// The output of `wrangler types` for a Worker with this secret.
declare namespace Cloudflare {
  interface Env {
    readonly WEBHOOK_SECRET: string
  }
}
