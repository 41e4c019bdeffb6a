/**
 * A bot's log as somebody sees it who follows it: over HTTP, with real services, from a server that
 * runs the bot or does not.
 */
import { BotJournal, Limits, type LogEntry } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { get, type IncomingMessage } from "node:http"
import { eventually, type Server, startBot, startServer, stores } from "./servedBots.ts"

/** What a reader has got, and whether that was all. */
interface Reading {
  readonly status: number
  readonly type: string | null
  readonly lines: () => ReadonlyArray<LogEntry>
  readonly ids: () => ReadonlyArray<string>
  readonly isOver: () => boolean
  readonly leave: () => void
}

/** Follows a log until it leaves or is left. */
const follow = (
  { baseUrl, key }: Server,
  path: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Reading> =>
  Effect.promise(async () => {
    // A connection of its own: what `fetch` keeps open would hold up the end of the server.
    const asked = get(`${baseUrl}${path}`, {
      agent: false,
      headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...headers }
    })
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once("response", resolve).once("error", reject)
    })
    const life = { text: "", isOver: false }
    response.setEncoding("utf8").on("data", (chunk: string) => (life.text += chunk))
    // One that leaves hears of it as an error.
    response.on("error", () => undefined).once("close", () => (life.isOver = true))
    const all = (name: string) =>
      [...life.text.matchAll(new RegExp(`^${name}: (.*)$`, "gm"))].map(([, value]) => value!)
    return {
      status: response.statusCode!,
      type: response.headers["content-type"] ?? null,
      lines: () => all("data").map((line) => JSON.parse(line)),
      ids: () => all("id"),
      isOver: () => life.isOver,
      leave: () => void asked.destroy()
    }
  })

const messagesOf = (reading: Reading) => reading.lines().map(({ message }) => message)

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

const heard = (reading: Reading, count: number) =>
  eventually(
    Effect.sync(() => reading.lines().length),
    (length) => length >= count
  )

describe("GET /bots/:id/logs with Accept: text/event-stream", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(
      `tells each line as it is written, once and in order, over breaks (${name})`,
      () =>
        Effect.gen(function* () {
          const server = yield* startServer(store, "one")
          const { logs, write } = yield* setTheScene(server)
          const first = yield* follow(server, logs)
          assert.deepStrictEqual([first.status, first.type], [200, "text/event-stream"])
          for (const message of ["one", "two"]) yield* write(message)
          yield* heard(first, 2)
          assert.deepStrictEqual(messagesOf(first), ["one", "two"], "with what comes")
          first.leave()
          const missed = Array.from({ length: 230 }, (_, index) => `missed ${index}`)
          yield* Effect.forEach(missed, (message) => write(message), { discard: true })
          const again = yield* follow(server, logs, { "last-event-id": first.ids().at(-1)! })
          yield* heard(again, missed.length)
          yield* write("three")
          yield* heard(again, missed.length + 1)
          assert.deepStrictEqual(messagesOf(again), [...missed, "three"])
          const seqs = [...first.lines(), ...again.lines()].map(({ seq }) => String(seq))
          assert.deepStrictEqual([...first.ids(), ...again.ids()], seqs)
          again.leave()
          const { body } = yield* server.call("GET", `${logs}?limit=2`)
          assert.deepStrictEqual(body.data, again.lines().slice(-2).toReversed())
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
        const loud = yield* follow(server, `${logs}?level=warn`)
        const past = yield* follow(server, `${logs}?since=2020-01-01T00:00:00Z`)
        yield* write("quiet")
        yield* write("loud", "error")
        yield* heard(loud, 1)
        yield* heard(past, created.body.data.length + 2)
        assert.deepStrictEqual(messagesOf(loud), ["loud"])
        assert.deepStrictEqual(
          past.lines().slice(0, -2),
          created.body.data.toReversed(),
          "all that there was, too"
        )
        for (const one of [loud, past]) one.leave()
        const strange = yield* follow(server, "/v1/bots/bot_01ARZ3NDEKTSV4RRFFQ69G5FAV/logs")
        assert.deepStrictEqual([strange.status, strange.type], [404, "application/problem+json"])
        const wrong = yield* follow(server, `${logs}?level=loud`)
        assert.strictEqual(wrong.status, 400)
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "is told by any server, and ends with that server and with the bot",
    () =>
      Effect.gen(function* () {
        const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
        const one = yield* startServer(kept, "one")
        const scope = yield* Scope.make()
        const other = yield* Scope.provide(startServer(kept, "other"), scope)
        const { logs, path } = yield* setTheScene(one)
        const [here, there] = [yield* follow(one, logs), yield* follow(other, logs)]
        yield* one.call("POST", `${path}/stop`)
        yield* heard(here, 2)
        yield* heard(there, 2)
        assert.deepStrictEqual(
          there.lines().map(({ event }) => event),
          ["bot.stopping", "bot.stopped"]
        )
        assert.deepStrictEqual(here.lines(), there.lines())
        yield* Scope.close(scope, Exit.void)
        yield* eventually(Effect.sync(there.isOver), (isOver) => isOver)
        assert.isFalse(here.isOver())
        const removed = yield* one.call("DELETE", path)
        assert.strictEqual(removed.status, 204)
        yield* eventually(Effect.sync(here.isOver), (isOver) => isOver)
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "is followed by so many of an account and no more, until one leaves",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer(MemoryStore.layer, "one")
        const { logs } = yield* setTheScene(server)
        const readers: Array<Reading> = []
        for (let count = 0; count < Limits.logFollowersPerAccountMax; count++) {
          readers.push(yield* follow(server, logs))
        }
        assert.isTrue(readers.every(({ status }) => status === 200))
        const refused = yield* follow(server, logs)
        assert.strictEqual(refused.status, 429)
        readers[0]!.leave()
        const next = yield* eventually(follow(server, logs), ({ status }) => status === 200)
        for (const reader of [...readers, next]) reader.leave()
      }).pipe(Effect.scoped),
    60_000
  )
})
