// Plain Node: the raw bytes are what comes in.
import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { verifyNotification } from "@candlewick/webhooks/verify"

export const makeServer = (secret, onEvent) =>
  createServer(async (request, response) => {
    try {
      const rawBody = await buffer(request)
      onEvent(verifyNotification({ secret, headers: request.headers, rawBody }))
      response.writeHead(204).end()
    } catch {
      response.writeHead(400).end()
    }
  })
