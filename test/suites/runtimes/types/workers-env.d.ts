// The output of `wrangler types` for a Worker with this secret and this binding.
declare namespace Cloudflare {
  interface Env {
    readonly STRIPE_WEBHOOK_SECRET: string
    readonly EVENTS: DurableObjectNamespace
  }
}
