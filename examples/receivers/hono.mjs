// Hono, on any runtime: Node, Bun, Deno, Cloudflare Workers.
import { Hono } from "hono"
import { verifyNotification } from "@candlewick/webhooks/verify"

export const makeApp = (secret, onEvent) => {
  const app = new Hono()
  app.post("/hook", async (context) => {
    try {
      const rawBody = new Uint8Array(await context.req.arrayBuffer())
      onEvent(verifyNotification({ secret, headers: context.req.raw.headers, rawBody }))
      return context.body(null, 204)
    } catch {
      return context.body(null, 400)
    }
  })
  return app
}
