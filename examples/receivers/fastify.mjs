// Fastify: a parser of its own that leaves the bytes as they are, for this route's scope.
import Fastify from "fastify"
import { verifyNotification } from "@candlewick/webhooks/verify"

export const makeApp = (secret, onEvent) => {
  const app = Fastify()
  app.register(async (scope) => {
    const keepBytes = { parseAs: "buffer" }
    scope.removeContentTypeParser("application/json")
    scope.addContentTypeParser("application/json", keepBytes, (_request, body, done) =>
      done(null, body)
    )
    scope.post("/hook", async (request, reply) => {
      try {
        onEvent(verifyNotification({ secret, headers: request.headers, rawBody: request.body }))
        return reply.code(204).send()
      } catch {
        return reply.code(400).send()
      }
    })
  })
  return app
}
