/**
 * The rights of a key that is revoked or expires. It goes over HTTP, on the server that revoked it
 * and on another one of the same store.
 */
import { AccountStore, BotJournal } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { heard, type Reading, readEvents } from "./readEvents.ts"
import { eventually, type Server, startBot, startServer } from "./servedBots.ts"

const keys = "/v1/account/keys"
const scopes = ["bots:read", "strategies:read"]

/** Two servers of one store, and a bot whose log may be followed. */
const setTheScene = Effect.gen(function* () {
  const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
  const one = yield* startServer(kept, "one")
  const other = yield* startServer(kept, "other")
  const { botId, path } = yield* startBot(one, [90, 90, 90], 1_000)
  const journal = yield* Effect.provide(BotJournal, one.services)
  const write = (message: string) =>
    Effect.orDie(
      journal.append({
        bot_id: botId,
        timestamp: new Date(Date.now()).toISOString(),
        level: "info",
        event: "test",
        message,
        data: {}
      })
    )
  return { one, other, logs: `${path}/logs`, write }
})

const issue = Effect.fnUntraced(function* (server: Server) {
  const { body, status } = yield* server.call("POST", keys, { name: "a reader", scopes })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return { id: String(body.id), key: String(body.secret) }
})

/** Brings a key's last moment forward, so that nobody has to wait for it. */
const expireNow = Effect.fnUntraced(function* ({ call, services }: Server, id: string) {
  const account = yield* call("GET", "/v1/account")
  const store = yield* Effect.provide(AccountStore, services)
  const { items } = yield* Effect.orDie(store.listKeys(account.body.id, { limit: 100 }))
  const key = items.find((one) => one.id === id)!
  const expires_at = new Date(Date.now()).toISOString()
  return yield* Effect.orDie(store.updateKey({ ...key, expires_at }))
})

/** Streams of events and of a log from both servers, all of them open. */
const openAll = (key: string, servers: ReadonlyArray<Server>, logs: string) =>
  Effect.forEach(
    servers.flatMap(({ baseUrl }) => ["/v1/events", logs].map((path) => ({ baseUrl, path }))),
    ({ baseUrl, path }) =>
      Effect.tap(readEvents({ baseUrl, key }, path), (reading) => {
        assert.strictEqual(reading.status, 200)
        return eventually(Effect.sync(reading.lastId), (id) => id !== "")
      })
  )

const allOver = (readings: ReadonlyArray<Reading>) =>
  Effect.forEach(readings, ({ isOver }) => eventually(Effect.sync(isOver), (over) => over))

describe("a key that is good no more", () => {
  it.live(
    "ends its streams once it is revoked, on every server, and those of no other key",
    () =>
      Effect.gen(function* () {
        const { logs, one, other, write } = yield* setTheScene
        const { id, key } = yield* issue(one)
        const revoked = yield* openAll(key, [one, other], logs)
        const [own] = yield* openAll(one.key, [one], logs).pipe(Effect.map((all) => all.slice(1)))
        const { status } = yield* one.call("DELETE", `${keys}/${id}`)
        assert.strictEqual(status, 204)
        yield* allOver(revoked)
        yield* write("after the end")
        yield* heard(own!, 1)
        assert.isFalse(own!.isOver())
        for (const reading of revoked) assert.notInclude(reading.text(), "after the end")
        for (const server of [one, other]) {
          const again = yield* readEvents({ baseUrl: server.baseUrl, key }, logs)
          assert.strictEqual(again.status, 401)
        }
        own!.leave()
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "ends its streams once it expires",
    () =>
      Effect.gen(function* () {
        const { logs, one } = yield* setTheScene
        const { id, key } = yield* issue(one)
        const readings = yield* openAll(key, [one], logs)
        const { expires_at } = yield* expireNow(one, id)
        yield* allOver(readings)
        const again = yield* readEvents({ baseUrl: one.baseUrl, key }, logs)
        assert.deepStrictEqual([again.status, again.type], [401, "application/problem+json"])
        assert.isAtMost(Date.parse(expires_at!), Date.now())
      }).pipe(Effect.scoped),
    120_000
  )
})
