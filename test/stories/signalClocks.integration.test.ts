/**
 * A signal without an id that comes to two servers whose clocks are an hour apart.
 */
import { BotJournal, IdempotencyStore } from "@candlewick/core"
import { minuteMs } from "@candlewick/core/kernel"
import { PostgresStore } from "@candlewick/store-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { onEveryDatabase } from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { twoServers } from "./twoServers.ts"

const hourMs = 60 * minuteMs

onEveryDatabase("servers whose clocks are an hour apart", (name, database) => {
  const stores = PostgresStore.layerAlone.pipe(Layer.provide(database), Layer.orDie)
  describe(name, () => {
    it.live("act once on a signal that comes to both within a minute", () =>
      Effect.gen(function* () {
        const { first, kept, next, strategy } = yield* twoServers(stores, Layer.empty, hourMs)
        const asked = { name: "chart", scopes: ["signals:send"] }
        const { secret } = (yield* next("POST", "/account/keys", asked)).json
        const bot = { name: "signalled", strategy_id: strategy.id, capital_allocation: 1_000 }
        const { id } = (yield* next("POST", "/bots", bot)).json
        const minute = Effect.map(Context.get(kept, IdempotencyStore).nowMs, (nowMs) =>
          Math.floor(nowMs / minuteMs)
        )
        /** Sends one signal to both servers; again where the minute ends meanwhile. */
        const sendTwice = Effect.fnUntraced(function* (count: number) {
          const before = yield* minute
          const signal = { bot_id: id, action: "close", comment: `try ${count}` }
          const sent = yield* next("POST", `/signals/${secret}`, signal)
          const again = yield* first("POST", `/signals/${secret}`, signal)
          return { again, comment: signal.comment, isOver: (yield* minute) !== before, sent }
        })
        let told = yield* sendTwice(0)
        for (let count = 1; told.isOver; count++) told = yield* sendTwice(count)
        const { again, comment, sent } = told
        assert.strictEqual(sent.status, 200, sent.text)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.strictEqual(again.text, sent.text)
        const page = { limit: 100, event: "signal.received" }
        const { items } = yield* Context.get(kept, BotJournal).list(id, page)
        assert.lengthOf(
          items.filter(({ message }) => message.includes(comment)),
          1
        )
      }).pipe(Effect.scoped)
    )
  })
})
