// The output of `wrangler types` for a Worker with this secret.
declare namespace Cloudflare {
  interface Env {
    readonly STRIPE_WEBHOOK_SECRET: string
  }
}
