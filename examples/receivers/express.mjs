// Express: `express.raw` on this route, before any `express.json`.
import express from "express"
import { verifyNotification } from "@candlewick/webhooks/verify"

export const makeApp = (secret, onEvent) => {
  const app = express()
  app.post(
    "/hook",
    express.raw({ type: "application/json", limit: "300kb" }),
    (request, response) => {
      try {
        onEvent(verifyNotification({ secret, headers: request.headers, rawBody: request.body }))
        response.status(204).end()
      } catch {
        response.status(400).end()
      }
    }
  )
  return app
}
