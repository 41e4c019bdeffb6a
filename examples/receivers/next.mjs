// Next.js, app router: `app/hook/route.js` exports what this makes, as
// `export const POST = makeRoute(process.env.WEBHOOK_SECRET, onEvent)`.
import { verifyNotification } from "@candlewick/webhooks/verify"

export const makeRoute = (secret, onEvent) => async (request) => {
  try {
    const rawBody = new Uint8Array(await request.arrayBuffer())
    onEvent(verifyNotification({ secret, headers: request.headers, rawBody }))
    return new Response(null, { status: 204 })
  } catch {
    return new Response(null, { status: 400 })
  }
}
