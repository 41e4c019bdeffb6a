/**
 * Fastify: the API below a path, in a scope of its own that reads no bodies.
 *
 *   CANDLEWICK_API_KEY=<32 characters or more> node examples/hosts/fastify.mjs
 */
import { Candlewick } from "@candlewick/core"
import { mount } from "@candlewick/http"
import { MemoryStore } from "@candlewick/store-memory"
import { fastify } from "fastify"

const candlewick = await Candlewick.open({ store: MemoryStore.layer })
const api = await mount(candlewick, {
  basePath: "/candlewick",
  apiKey: process.env.CANDLEWICK_API_KEY
})

const app = fastify()
app.register(
  async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser("*", (request, payload, done) => done(null))
    for (const path of ["/", "/*"]) {
      scope.all(path, (request, reply) => {
        api.onRequest(request.raw, reply.raw)
        reply.hijack()
      })
    }
  },
  { prefix: "/candlewick" }
)
app.get("/", async () => {
  const { items } = await candlewick.bots.list({ limit: 10 })
  return { bots: items.map(({ name }) => name) }
})

await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" })
console.log(`listening on ${app.server.address().port}`)
process.once("SIGTERM", async () => {
  const closed = app.close()
  await candlewick.close()
  await closed
})
