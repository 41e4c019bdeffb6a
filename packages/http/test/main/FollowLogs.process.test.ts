/**
 * A bot's log as somebody sees it who follows it: over HTTP, with real services, from a server that
 * runs the bot or does not.
 */
import { BotJournal, Limits, type LogEntry } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { makePlacements } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { heard, type Reading, readEvents } from "./readEvents.ts"
import { eventually, type Server, startBot, startServer, stores } from "./servedBots.ts"

const linesOf = (reading: Reading): ReadonlyArray<LogEntry> =>
  reading.events().map(({ data }) => data)

const idsOf = (reading: Reading) => reading.events().map(({ id }) => id)

const messagesOf = (reading: Reading) => linesOf(reading).map(({ message }) => message)

/** A server with a bot, and a pen to write into its log with. */
const setTheScene = Effect.fnUntraced(function* (server: Server) {
  const scene = yield* startBot(server, [90, 90, 90], 1_000)
  const journal = yield* Effect.provide(BotJournal, server.services)
  const write = (message: string, level: LogEntry["level"] = "info") =>
    Effect.orDie(
      journal.append({
        bot_id: scene.botId,
        timestamp: new Date(Date.now()).toISOString(),
        level,
        event: "test",
        message,
        data: {}
      })
    )
  return { ...scene, logs: `${scene.path}/logs`, write }
})

describe("GET /bots/:id/logs with Accept: text/event-stream", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(
      `tells each line as it is written, once and in order, over breaks (${name})`,
      () =>
        Effect.gen(function* () {
          const server = yield* startServer(store, "one")
          const { logs, write } = yield* setTheScene(server)
          const first = yield* readEvents(server, logs)
          assert.deepStrictEqual([first.status, first.type], [200, "text/event-stream"])
          for (const message of ["one", "two"]) yield* write(message)
          yield* heard(first, 2)
          assert.deepStrictEqual(messagesOf(first), ["one", "two"], "with what comes")
          first.leave()
          const missed = Array.from({ length: 230 }, (_, index) => `missed ${index}`)
          yield* Effect.forEach(missed, (message) => write(message), { discard: true })
          const again = yield* readEvents(server, logs, { "last-event-id": idsOf(first).at(-1)! })
          yield* heard(again, missed.length)
          yield* write("three")
          yield* heard(again, missed.length + 1)
          assert.deepStrictEqual(messagesOf(again), [...missed, "three"])
          const seqs = [...linesOf(first), ...linesOf(again)].map(({ seq }) => String(seq))
          assert.deepStrictEqual([...idsOf(first), ...idsOf(again)], seqs)
          again.leave()
          const early = yield* readEvents(server, logs, { "last-event-id": "999999" })
          yield* eventually(Effect.sync(early.lastId), (id) => id === seqs.at(-1))
          yield* write("four")
          yield* heard(early, 1)
          assert.deepStrictEqual(messagesOf(early), ["four"], "a number that is not given yet")
          early.leave()
          const { body } = yield* server.call("GET", `${logs}?limit=3`)
          const last = [...linesOf(again).slice(-2), ...linesOf(early)]
          assert.deepStrictEqual(body.data, last.toReversed())
        }).pipe(Effect.scoped),
      120_000
    )
  }

  it.live(
    "tells what is asked for: from a level upwards, from a time on, and of bots that there are",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer(MemoryStore.layer, "one")
        const { logs, write } = yield* setTheScene(server)
        const created = yield* server.call("GET", `${logs}?limit=100`)
        const loud = yield* readEvents(server, `${logs}?level=warn`)
        const past = yield* readEvents(server, `${logs}?since=2020-01-01T00:00:00Z`)
        yield* write("quiet")
        yield* write("loud", "error")
        yield* heard(loud, 1)
        yield* heard(past, created.body.data.length + 2)
        assert.deepStrictEqual(messagesOf(loud), ["loud"])
        assert.deepStrictEqual(
          linesOf(past).slice(0, -2),
          created.body.data.toReversed(),
          "all that there was, too"
        )
        for (const one of [loud, past]) one.leave()
        const strange = yield* readEvents(server, "/v1/bots/bot_01ARZ3NDEKTSV4RRFFQ69G5FAV/logs")
        assert.deepStrictEqual([strange.status, strange.type], [404, "application/problem+json"])
        const wrong = yield* readEvents(server, `${logs}?level=loud`)
        assert.strictEqual(wrong.status, 400)
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "is told by any server, and ends with that server and with the bot",
    () =>
      Effect.gen(function* () {
        const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
        const placements = makePlacements()
        const one = yield* startServer(kept, "one", placements)
        const scope = yield* Scope.make()
        const other = yield* Scope.provide(startServer(kept, "other", placements), scope)
        const { logs, path } = yield* setTheScene(one)
        const [here, there] = [yield* readEvents(one, logs), yield* readEvents(other, logs)]
        yield* one.call("POST", `${path}/stop`)
        yield* heard(here, 2)
        yield* heard(there, 2)
        assert.deepStrictEqual(
          linesOf(there).map(({ event }) => event),
          ["bot.stopping", "bot.stopped"]
        )
        assert.deepStrictEqual(linesOf(here), linesOf(there))
        yield* Scope.close(scope, Exit.void)
        yield* eventually(Effect.sync(there.isOver), (isOver) => isOver)
        assert.isFalse(here.isOver())
        const removed = yield* one.call("DELETE", path)
        assert.strictEqual(removed.status, 204)
        yield* eventually(Effect.sync(here.isOver), (isOver) => isOver)
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "is followed by so many of an account and no more, until one leaves",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer(MemoryStore.layer, "one")
        const { logs } = yield* setTheScene(server)
        const readers: Array<Reading> = []
        for (let count = 0; count < Limits.followersPerAccountMax; count++) {
          readers.push(yield* readEvents(server, logs))
        }
        assert.isTrue(readers.every(({ status }) => status === 200))
        const refused = yield* readEvents(server, logs)
        assert.strictEqual(refused.status, 429)
        readers[0]!.leave()
        const next = yield* eventually(readEvents(server, logs), ({ status }) => status === 200)
        for (const reader of [...readers, next]) reader.leave()
      }).pipe(Effect.scoped),
    180_000
  )
})
