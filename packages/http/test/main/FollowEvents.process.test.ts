/**
 * An account's events as a follower sees them: over HTTP, with real services. The server published
 * them, executes the run, or does neither.
 */
import {
  Accounts,
  type DomainEvent,
  type EventName,
  Events,
  Ids,
  Limits,
  makeEvent,
  Outbox
} from "@candlewick/core"
import { eventRecord, makePlacements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { heard, type Reading, readEvents } from "./readEvents.ts"
import {
  definitionOf,
  eventually,
  importCloses,
  type Server,
  startReceiver,
  startServer,
  stores
} from "./servedBots.ts"

const path = "/api/v1/events"
const published = `${path}?types=trade.executed,alert.triggered`

/** The account of the server's key, and a way to announce events of any account. */
const setTheScene = Effect.fnUntraced(function* (server: Server) {
  const services = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.orDie(Effect.provide(effect, server.services)) as Effect.Effect<A>
  const { accountId } = yield* services(
    Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(server.key))
  )
  const announce = (event: EventName, count: number, account = accountId) =>
    services(
      Effect.gen(function* () {
        const head = { account_id: account, event, timestamp: "2026-01-15T00:00:00.000Z" }
        const made = makeEvent({ id: yield* (yield* Ids).make("event"), ...head }, { count })
        yield* (yield* Events).announce(made)
        return made
      })
    )
  return { accountId, announce, services }
})

const countsOf = (reading: Reading) => reading.events().map(({ data }) => data.data.count)

describe("GET /events", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(
      `tells each event as webhooks do, once and in order, over breaks (${name})`,
      () =>
        Effect.gen(function* () {
          const server = yield* startServer(store, "one")
          const { announce } = yield* setTheScene(server)
          const receiver = yield* startReceiver
          const registered = yield* server.call("POST", "/v1/webhooks", {
            url: receiver.url,
            events: ["trade.executed"],
            payload: "extended"
          })
          assert.strictEqual(registered.status, 201, JSON.stringify(registered.body))
          const first = yield* readEvents(server, path)
          assert.deepStrictEqual([first.status, first.type], [200, "text/event-stream"])
          yield* eventually(Effect.sync(first.lastId), (id) => id === "0")
          const made: Array<DomainEvent> = []
          for (const count of [1, 2]) made.push(yield* announce("trade.executed", count))
          yield* heard(first, 2)
          assert.deepStrictEqual(countsOf(first), [1, 2])
          assert.deepStrictEqual(
            first.events().map(({ id, event }) => [id, event]),
            [
              ["1", "trade.executed"],
              ["2", "trade.executed"]
            ]
          )
          assert.deepStrictEqual(
            first.events().map(({ data }) => data.id),
            made.map(({ id }) => id)
          )
          yield* eventually(
            Effect.sync(() => receiver.bodies.length),
            (length) => length === 2
          )
          assert.sameDeepMembers(
            receiver.bodies,
            first.events().map(({ data }) => data)
          )
          first.leave()
          for (let count = 3; count < 63; count++) yield* announce("trade.executed", count)
          const again = yield* readEvents(server, path, { "last-event-id": first.lastId() })
          yield* heard(again, 60)
          yield* announce("alert.triggered", 63)
          yield* heard(again, 61)
          const expected = Array.from({ length: 61 }, (_, index) => index + 3)
          assert.deepStrictEqual(countsOf(again), expected)
          assert.deepStrictEqual(
            again.events().map(({ id }) => id),
            expected.map(String)
          )
          again.leave()
        }).pipe(Effect.scoped),
      120_000
    )
  }

  it.live(
    "tells of one's own account only, and of what is asked for, to keys that may read it",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer(MemoryStore.layer, "one")
        const { accountId, announce, services } = yield* setTheScene(server)
        const other = yield* services(
          Effect.flatMap(Accounts, (accounts) => accounts.create("another"))
        )
        const own = yield* readEvents(server, published)
        const strange = yield* readEvents({ ...server, key: other.secret }, path)
        const alerts = yield* readEvents(server, `${path}?types=alert.triggered`)
        for (const one of [own, strange, alerts]) {
          yield* eventually(Effect.sync(one.lastId), (id) => id === "0")
        }
        yield* announce("trade.executed", 1)
        yield* announce("trade.executed", 2, other.account.id)
        yield* announce("backtest.complete", 3)
        yield* announce("alert.triggered", 4)
        yield* heard(own, 2)
        yield* heard(strange, 1)
        yield* heard(alerts, 1)
        assert.deepStrictEqual([own, strange, alerts].map(countsOf), [[1, 4], [2], [4]])
        assert.deepStrictEqual(
          [own, strange, alerts].map((one) => one.lastId()),
          ["3", "1", "3"]
        )
        for (const one of [own, strange, alerts]) one.leave()

        const refused = yield* server.call("GET", `${path}?types=trade.executed,gossip`)
        assert.strictEqual(refused.status, 400)
        assert.match(refused.body.errors[0].pointer, /^#\/query\/types/)
        const caller = { accountId, keyId: "key_1", scopes: ["keys:manage", "bots:read"] as const }
        const { secret } = yield* services(
          Effect.flatMap(Accounts, (accounts) =>
            accounts.issueKey(caller.accountId, { name: "bots", scopes: ["bots:read"] }, [
              ...caller.scopes
            ])
          )
        )
        const answers: Array<number> = []
        for (const key of ["cw_live_wrong", secret]) {
          answers.push((yield* readEvents({ ...server, key }, path)).status)
        }
        assert.deepStrictEqual(answers, [401, 403])
      }).pipe(Effect.scoped),
    180_000
  )

  for (const [name, store] of Object.entries(stores)) {
    it.live(
      `tells how far runs are, from any server, and how they end (${name})`,
      () =>
        Effect.gen(function* () {
          const kept = Layer.succeedContext(yield* Layer.build(store))
          const placements = makePlacements()
          const one = yield* startServer(kept, "one", placements)
          const other = yield* startServer(kept, "other", placements)
          yield* setTheScene(one)
          const closes = Array.from({ length: 3_000 }, (_, index) => 100 + (index % 50))
          yield* importCloses(one, closes)
          const strategy = yield* one.call("POST", "/v1/mix/strategies", {
            name: "a strategy",
            definition: definitionOf(120)
          })
          const here = yield* readEvents(one, `${path}?types=run.progress,run.ended`)
          const there = yield* readEvents(other, `${path}?types=run.progress,run.ended`)
          for (const reader of [here, there]) {
            yield* eventually(Effect.sync(reader.lastId), (id) => id !== "")
          }
          const run = yield* one.call("POST", "/v1/mix/backtest", {
            strategy_id: strategy.body.id
          })
          assert.strictEqual(run.status, 202, JSON.stringify(run.body))
          const generation = yield* one.call("POST", "/v1/mix/generate", {
            objective: "sharpe",
            risk_tolerance: "medium",
            timeframe: "1h",
            max_candidates: 40
          })
          assert.strictEqual(generation.status, 202, JSON.stringify(generation.body))
          const endsOf = (reader: Reading) =>
            reader.events().filter(({ event }) => event === "run.ended")
          for (const reader of [here, there]) {
            yield* eventually(
              Effect.sync(() => endsOf(reader).length),
              (length) => length === 2
            )
            const ends = endsOf(reader).map(({ data: { data } }) => data)
            assert.sameDeepMembers(
              ends.map(({ kind, run_id }) => ({ kind, run_id })),
              [
                { kind: "backtest", run_id: run.body.id },
                { kind: "generate", run_id: generation.body.id }
              ]
            )
            assert.isTrue(ends.every(({ status }) => ["completed", "failed"].includes(status)))
            assert.isTrue(reader.events().every(({ id }) => id === null))
            reader.leave()
          }
        }).pipe(Effect.scoped),
      120_000
    )
  }

  it.live(
    "tells at first which runs are under way, and where each that waits is in the queue",
    () =>
      Effect.gen(function* () {
        const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
        const server = yield* startServer(kept, "one")
        yield* setTheScene(server)
        yield* importCloses(
          server,
          Array.from({ length: 20_000 }, (_, index) => 100 + (index % 50))
        )
        const ids: Array<string> = []
        for (let count = 0; count < 5; count++) {
          const { body } = yield* server.call("POST", "/v1/mix/generate", {
            objective: "sharpe",
            risk_tolerance: "medium",
            timeframe: "1h",
            max_candidates: 10_000
          })
          ids.push(String(body.id))
        }
        const reader = yield* readEvents(server, path)
        yield* heard(reader, 5)
        const notes = reader.events().slice(0, 5)
        assert.deepStrictEqual(
          notes.map(({ event, data }) => [event, data.event, data.data.kind, data.data.run_id]),
          ids.map((id) => ["run.progress", "run.progress", "generate", id])
        )
        assert.deepStrictEqual(
          notes.map(({ data }) => data.data.queue_position),
          [null, null, 1, 2, 3]
        )
        assert.deepStrictEqual(
          notes.map(({ data }) => data.data.status),
          ["running", "running", "queued", "queued", "queued"]
        )
        for (const id of ids.toReversed()) {
          yield* server.call("POST", `/v1/mix/generate/${id}/cancel`)
        }
        const ended = () => reader.events().filter(({ event }) => event === "run.ended")
        yield* eventually(Effect.sync(ended), ({ length }) => length === 5)
        assert.deepStrictEqual(
          ended().map(({ data }) => data.data.status),
          Array.from(ids, () => "cancelled")
        )
        reader.leave()
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "says what it can't tell any more, and begins with what comes where a number is not given yet",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer(MemoryStore.layer, "one")
        const { accountId, announce, services } = yield* setTheScene(server)
        const events = Array.from({ length: Limits.eventsPerAccountMaxCount + 5 }, () =>
          eventRecord({ account_id: accountId })
        )
        yield* services(
          Effect.gen(function* () {
            const outbox = yield* Outbox
            yield* Effect.forEach(events, outbox.append, { discard: true })
            yield* outbox.acknowledgeAll(events.map(({ id }) => id))
          })
        )
        const late = yield* readEvents(server, published, { "last-event-id": "2" })
        yield* heard(late, 2)
        const [missed, next] = late.events()
        assert.deepStrictEqual(
          [missed!.event, missed!.id, missed!.data.data],
          ["events.missed", null, { from: 3, to: 5 }]
        )
        assert.deepStrictEqual([next!.event, next!.id], ["trade.executed", "6"])
        late.leave()
        const early = yield* readEvents(server, published, { "last-event-id": "999999" })
        yield* eventually(Effect.sync(early.lastId), (id) => id === "10005")
        yield* announce("trade.executed", 1)
        yield* heard(early, 1)
        assert.deepStrictEqual(countsOf(early), [1])
        early.leave()
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "counts with followed logs, and ends with the server",
    () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const server = yield* Scope.provide(startServer(MemoryStore.layer, "one"), scope)
        yield* setTheScene(server)
        const readers: Array<Reading> = []
        for (let count = 0; count < Limits.followersPerAccountMax; count++) {
          readers.push(yield* readEvents(server, path))
        }
        assert.isTrue(readers.every(({ status }) => status === 200))
        const refused = yield* readEvents(server, path)
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(refused.type, "application/problem+json")
        yield* Scope.close(scope, Exit.void)
        for (const { isOver } of readers) yield* eventually(Effect.sync(isOver), (over) => over)
      }).pipe(Effect.scoped),
    180_000
  )
})
