/**
 * Express: the API below a path of an app, before anything that reads bodies.
 *
 *   CANDLEWICK_API_KEY=<32 characters or more> node examples/hosts/express.mjs
 */
import { Candlewick } from "@candlewick/core"
import { mount } from "@candlewick/http"
import { MemoryStore } from "@candlewick/store-memory"
import express from "express"

const candlewick = await Candlewick.open({ store: MemoryStore.layer })
const api = await mount(candlewick, {
  basePath: "/candlewick",
  apiKey: process.env.CANDLEWICK_API_KEY
})

const app = express()
app.use("/candlewick", api.onRequest)
app.use(express.json())
app.get("/", (request, response) =>
  candlewick.bots
    .list({ limit: 10 })
    .then(({ items }) => response.json({ bots: items.map(({ name }) => name) }))
)

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`listening on ${server.address().port}`)
})
process.once("SIGTERM", async () => {
  server.close()
  await candlewick.close()
})
