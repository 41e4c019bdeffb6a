/**
 * Requests under an `Idempotency-Key`, repeated at a second server because the first one ended
 * after carrying them out and before answering. They are carried out once, and no secret of theirs
 * can be read from the stored answer.
 */
import {
  BotStore,
  PaperBooks,
  DeliveryStore,
  ReplayStore,
  sealWith,
  type StorePorts,
  toTimestamp
} from "@candlewick/core"
import type { OrderRequest } from "@candlewick/core/kernel"
import { orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import {
  onEveryStore,
  takesMemory
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { definition, symbol } from "./scene.ts"
import { scriptStart } from "./scripted.ts"
import { type Call, twoServers } from "./twoServers.ts"

const sealed = sealWith([new Uint8Array(32).fill(7)])

const url = "https://example.com/hook"
const webhook = { url, events: ["trade.executed"] }

const stories = (name: string, stores: Layer.Layer<StorePorts>) => {
  describe(name, () => {
    it.live(
      "the next server answers a request that the first has carried out, and does not repeat it",
      () =>
        Effect.gen(function* () {
          const { accountId, first, next, kept, strategy } = yield* twoServers(stores, sealed)
          const bot = { name: "keyed", strategy_id: strategy.id, capital_allocation: 1_000 }
          const posts: ReadonlyArray<readonly [string, unknown, string]> = [
            ["/bots/create", bot, "/bots"],
            ["/bots", { ...bot, name: "started", auto_start: true }, "/bots"],
            ["/alerts", { metric: "price", op: "gt", threshold: 1, symbol }, "/alerts"],
            ["/webhooks", webhook, "/webhooks"],
            ["/account/keys", { name: "keyed" }, "/account/keys"],
            ["/mix/strategies", { name: "keyed", definition }, "/mix/strategies"],
            ["/mix/backtest", { strategy_id: strategy.id }, "/mix/backtests"],
            [
              "/mix/generate",
              { objective: "maximize_returns", risk_tolerance: "low", timeframe: "hourly" },
              "/mix/strategies"
            ],
            ["/mix/optimize", { strategy_id: strategy.id, max_trials: 2 }, "/mix/optimize"]
          ]
          for (const [index, [path, body, list]] of posts.entries()) {
            const key = `key-${index}`
            const idsOf = Effect.map(next("GET", list), ({ text }) =>
              (JSON.parse(text) as { data: ReadonlyArray<{ id: string }> }).data.map(({ id }) => id)
            )
            const before = yield* idsOf
            const made = yield* first("POST", path, body, key)
            assert.include([201, 202], made.status, `${path}: ${made.text}`)
            for (const again of [
              yield* next("POST", path, body, key),
              yield* next("POST", path, body, key)
            ]) {
              assert.strictEqual(again.status, made.status, `${path}: ${again.text}`)
              assert.strictEqual(again.json.id, made.json.id)
              assert.strictEqual(again.json.secret, made.json.secret)
              assert.strictEqual(again.headers.get("location"), made.headers.get("location"))
              assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
            }
            const after = yield* idsOf
            assert.deepStrictEqual(
              after.filter((id) => !before.includes(id)),
              [made.json.id]
            )
          }
          const { list } = Context.get(kept, BotStore)
          const [started] = (yield* list(accountId, { limit: 9 })).items
          assert.strictEqual(started!.desired_status, "running")
        }).pipe(Effect.scoped)
    )

    it.live("a command that was carried out is not given again, whatever came after it", () =>
      Effect.gen(function* () {
        const { first, next, strategy } = yield* twoServers(stores, sealed)
        const bot = { name: "keyed", strategy_id: strategy.id, capital_allocation: 1_000 }
        const { json } = yield* first("POST", "/bots", bot)
        yield* first("POST", `/bots/${json.id}/start`, undefined, "start")
        yield* first("POST", `/bots/${json.id}/stop`)
        const again = yield* next("POST", `/bots/${json.id}/start`, undefined, "start")
        assert.strictEqual(again.status, 200, again.text)
        const { text } = yield* next("GET", `/bots/${json.id}`)
        assert.include(JSON.parse(text), { desired_status: "stopped" })
        const { json: hook } = yield* first("POST", "/webhooks", webhook)
        const rotate = `/webhooks/${hook.id}/secret/rotate`
        const rotated = yield* first("POST", rotate, {}, "rotate")
        assert.strictEqual(rotated.status, 200, rotated.text)
        assert.strictEqual((yield* next("POST", rotate, {}, "rotate")).text, rotated.text)
        const sample = `/webhooks/${hook.id}/test`
        const sent = yield* first("POST", sample, {}, "sample")
        assert.strictEqual((yield* next("POST", sample, {}, "sample")).json.id, sent.json.id)
      }).pipe(Effect.scoped)
    )

    it.live("a request about a webhook is not carried out again, with any change after it", () =>
      Effect.gen(function* () {
        const { first, next, kept } = yield* twoServers(stores, sealed)
        const store = Context.get(kept, DeliveryStore)
        const { json: hook } = yield* first("POST", "/webhooks", webhook)
        const at = `/webhooks/${hook.id}`
        const repeated = Effect.fnUntraced(function* (path: string, body: unknown, key: string) {
          const done = yield* first("POST", `${at}${path}`, body, key)
          assert.isBelow(done.status, 300, done.text)
          return Effect.map(next("POST", `${at}${path}`, body, key), (again) => {
            assert.strictEqual(again.text, done.text)
            assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
          })
        })

        // Activated twice, it would be refused: a new overlap is open, and another secret waits.
        yield* first("POST", `${at}/secret/rotate`, {})
        const activated = yield* repeated("/secret/activate", undefined, "activate")
        yield* first("POST", `${at}/secret/rotate`, { overlap_seconds: 0 })
        yield* activated
        const refused = yield* next("POST", `${at}/secret/activate`, undefined, "another")
        assert.strictEqual(refused.json.code, "invalid_transition")

        // Sent again twice, it would be sent although it has arrived since.
        const { json: sample } = yield* first("POST", `${at}/test`, {})
        const ends = Effect.gen(function* () {
          const found = Option.getOrThrow(yield* store.get(hook.id, sample.id))
          return yield* store.update({ ...found, status: "succeeded" })
        })
        yield* ends
        const redelivered = yield* repeated(
          `/deliveries/${sample.id}/redeliver`,
          undefined,
          "redeliver"
        )
        const { version } = yield* ends
        yield* redelivered
        const found = Option.getOrThrow(yield* store.get(hook.id, sample.id))
        assert.include(found, { status: "succeeded", version })

        const since = toTimestamp(Date.now() - 3_600_000)
        const replayed = yield* repeated("/replay", { since, mode: "all" }, "replay")
        yield* replayed
        yield* replayed
        const { items } = yield* Context.get(kept, ReplayStore).list(hook.id, { limit: 9 })
        assert.lengthOf(items, 1)
      }).pipe(Effect.scoped)
    )

    it.live("a request about a bot is not carried out again, with any change after it", () =>
      Effect.gen(function* () {
        const { accountId, first, next, kept, strategy } = yield* twoServers(stores, sealed)
        const store = Context.get(kept, BotStore)
        const broker = yield* PaperBooks.pipe(
          Effect.provide(PaperBooks.layer),
          Effect.provideContext(kept)
        )
        const request = { name: "keyed", strategy_id: strategy.id, capital_allocation: 10_000 }
        const { json: bot } = yield* first("POST", "/bots", request)
        const post = Effect.fnUntraced(function* (
          [server, path, key]: readonly [Call, string, string],
          body?: unknown
        ) {
          const { status, text } = yield* server("POST", `/bots/${bot.id}${path}`, body, key)
          assert.strictEqual(status, 200, text)
          return JSON.parse(text) as Readonly<Record<string, unknown>>
        })
        const record = Effect.map(store.get(accountId, bot.id), Option.getOrThrow)
        const halt = Effect.flatMap(record, (found) =>
          store.update({ ...found, trading_state: "halted", trading_state_reason: "max_drawdown" })
        )
        yield* halt
        assert.isTrue((yield* post([first, "/risk/resume", "resume"]))["changed"])
        assert.strictEqual((yield* record).trading_state, "active")
        yield* halt
        assert.isTrue((yield* post([next, "/risk/resume", "resume"]))["changed"])
        assert.strictEqual((yield* record).trading_state, "halted")
        yield* post([first, "/risk/resume", "resume-again"])

        // Somebody trades behind its back, which it is told to take over.
        let time = scriptStart
        const trade = Effect.fnUntraced(function* (id: string, leg: OrderRequest["leg"]) {
          time += 3_600_000
          const order = orderRequest({ id, side: leg === "entry" ? 1 : -1, leg, quantity: 5 })
          yield* broker.place(bot.id, 0, order)
          const prices = { open: 10, high: 10, low: 10, close: 10 }
          yield* broker.settle(bot.id, [{ symbol, time, ...prices }])
        })
        const held = Effect.map(broker.account(bot.id), ({ positions }) =>
          positions.map(({ quantity }) => quantity)
        )
        yield* trade("one", "entry")
        const taken = yield* post([first, "/reconcile", "reconcile"], { accept: true })
        assert.isNotNull(taken["adjustment"])
        yield* trade("two", "exit")
        const again = yield* post([next, "/reconcile", "reconcile"], { accept: true })
        assert.deepStrictEqual(again["adjustment"], taken["adjustment"])
        const found = yield* post([first, "/reconcile", "look"], { accept: false })
        assert.isNotEmpty(found["differences"])
        yield* post([first, "/reconcile", "second"], { accept: true })

        yield* trade("three", "entry")
        yield* post([first, "/reconcile", "third"], { accept: true })
        const closed = yield* post([first, "/positions/close", "close"])
        assert.isTrue(closed["changed"])
        assert.deepStrictEqual(yield* held, [])
        yield* trade("four", "entry")
        yield* post([first, "/reconcile", "fourth"], { accept: true })
        const repeated = yield* post([next, "/positions/close", "close"])
        assert.deepStrictEqual(repeated["positions_closing"], closed["positions_closing"])
        assert.deepStrictEqual(yield* held, [5])
      }).pipe(Effect.scoped)
    )

    const secretPosts = [
      ["/webhooks", webhook],
      ["/account/keys", { name: "keyed" }]
    ] as const

    const lookForSecrets = Effect.fnUntraced(function* (
      kept: Context.Context<StorePorts>,
      written: ReadonlyArray<string>,
      secrets: ReadonlyArray<string>
    ) {
      const all = [...written]
      const sql = Option.getOrNull(
        yield* Effect.provideContext(Effect.serviceOption(SqlClient.SqlClient), kept)
      )
      if (sql !== null) all.push(JSON.stringify(yield* sql`select * from idempotency_keys`))
      for (const secret of secrets) {
        assert.isAbove(secret.length, 30)
        assert.notInclude(all.join("\n"), secret)
      }
    })

    it.live("secrets are sealed in what is kept for repetitions", () =>
      Effect.gen(function* () {
        const { first, next, kept, written } = yield* twoServers(stores, sealed)
        const secrets: Array<string> = []
        for (const [path, body] of secretPosts) {
          secrets.push((yield* first("POST", path, body, `first-${path}`)).json.secret)
          secrets.push((yield* next("POST", path, body, `next-${path}`)).json.secret)
          const again = yield* next("POST", path, body, `next-${path}`)
          assert.strictEqual(again.json.secret, secrets.at(-1))
        }
        assert.isAbove(written.length, 4)
        yield* lookForSecrets(kept, written, secrets)
      }).pipe(Effect.scoped)
    )

    it.live("secrets are not kept where nothing seals them, and a repetition is told so", () =>
      Effect.gen(function* () {
        const { first, next, kept, written } = yield* twoServers(stores, Layer.empty)
        const secrets: Array<string> = []
        for (const [path, body] of secretPosts) {
          for (const [index, server] of [first, next].entries()) {
            const made = yield* server("POST", path, body, `${index}-${path}`)
            assert.strictEqual(made.status, 201, made.text)
            secrets.push(made.json.secret)
            for (const again of [
              yield* next("POST", path, body, `${index}-${path}`),
              yield* next("POST", path, body, `${index}-${path}`)
            ]) {
              assert.strictEqual(again.status, 409)
              assert.strictEqual(again.json.code, "answer_not_kept")
            }
          }
        }
        yield* lookForSecrets(kept, written, secrets)
        const { text } = yield* next("GET", "/webhooks")
        assert.lengthOf((JSON.parse(text) as { data: ReadonlyArray<unknown> }).data, 2)
      }).pipe(Effect.scoped)
    )
  })
}

if (takesMemory) stories("Repeated requests over the memory store", MemoryStore.layer)
onEveryStore("Repeated requests", stories, { isLong: true })
