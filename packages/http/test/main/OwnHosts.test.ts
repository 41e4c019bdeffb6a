/**
 * The server wired as it is, with loopback open to webhooks: everything there may be reached but
 * the server itself.
 */
import { createServer } from "node:net"
import { serve } from "@candlewick/http"
import { Accounts } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { ownHosts } from "../../src/main/ownHosts.ts"
import { servicesOf } from "../../src/main/services.ts"
import { readSettings } from "../../src/main/settings.ts"

const apiKey = "a-key-of-the-tests-of-own-hosts-0123456789"

const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        server.close(() => resolve(port))
      })
    })
)

describe("a server that webhooks may reach loopback of", () => {
  it.live("registers no webhook to itself, and says at its start what is open", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const settings = readSettings({
        PORT: String(port),
        CANDLEWICK_DATA_DIR: ":memory:",
        CANDLEWICK_WORKERS: "1",
        CANDLEWICK_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32,10.99.0.0/16",
        CANDLEWICK_WEBHOOK_ALLOW_HTTP: "true",
        CANDLEWICK_PUBLIC_HOSTS: "api.example.org"
      })
      const logged: Array<string> = []
      const listener = Logger.make(({ message }) => logged.push(String(message)))
      const services = yield* Layer.build(servicesOf(settings)).pipe(
        Effect.provide(Logger.layer([listener]))
      )
      yield* Effect.provide(
        Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(apiKey)),
        services
      )
      const { host } = settings
      const served = serve({ host, port, accessLog: { write: () => undefined } })
      yield* Layer.build(served.pipe(Layer.provide(Layer.succeedContext(services))))
      const register = (url: string) =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${port}/v1/webhooks`, {
            method: "POST",
            headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
            body: JSON.stringify({ url, events: ["trade.executed"] })
          })
          const body: unknown = await response.json()
          return { status: response.status, text: JSON.stringify(body) }
        })
      for (const own of [
        `http://127.0.0.1:${port}/v1/webhooks`,
        "https://api.example.org/hook",
        "http://api.example.org:8080/hook"
      ]) {
        const refused = yield* register(own)
        assert.strictEqual(refused.status, 422, own)
        assert.include(refused.text, "own_host")
      }
      assert.strictEqual((yield* register(`http://127.0.0.1:${port + 1}/hook`)).status, 201)
      const opened = "webhooks may reach 127.0.0.1/32, 10.99.0.0/16 besides public addresses"
      assert.include(logged, opened)
    }).pipe(Effect.scoped)
  )

  it("knows itself by every address of the machine where it listens on all", () => {
    const listening = ownHosts({ host: "0.0.0.0", port: 8080, publicHosts: ["api.example.org"] })
    for (const one of ["api.example.org", "127.0.0.1:8080", "[::1]:8080", "localhost:8080"]) {
      assert.include(listening, one)
    }
    const alone = ownHosts({ host: "10.0.0.7", port: 8080, publicHosts: [] })
    assert.deepStrictEqual(alone, ["10.0.0.7:8080"])
  })

  it("refuses a setting that names no host", () => {
    const read = (hosts: string) => readSettings({ CANDLEWICK_PUBLIC_HOSTS: hosts }).publicHosts
    assert.deepStrictEqual(read("api.example.org, [::1]:8080"), ["api.example.org", "[::1]:8080"])
    assert.throws(() => read("https://api.example.org"), /CANDLEWICK_PUBLIC_HOSTS must be/)
  })
})
