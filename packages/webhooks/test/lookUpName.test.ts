import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeNameLookup, type ResolvedAddress } from "../src/lookUpName.ts"
import { postNotification } from "../src/postNotification.ts"
import { nameServer } from "./nameServer.ts"
import { dispatcherFor, httpReceiver, loopback, notificationTo } from "./receiver.ts"

const noHosts = "/nowhere/hosts"

const codeOf = (answer: Promise<unknown>) =>
  Effect.promise(() =>
    answer.then(
      () => "answered",
      (error: Error) =>
        "code" in error && typeof error.code === "string" ? error.code : error.name
    )
  )

const hostsFile = Effect.acquireRelease(
  Effect.sync(() => join(mkdtempSync(join(tmpdir(), "candlewick-hosts-")), "hosts")),
  (path) => Effect.sync(() => rmSync(join(path, ".."), { recursive: true }))
)

describe("lookUpName", () => {
  it.live("gives every address that the name server knows", () =>
    Effect.gen(function* () {
      const server = yield* nameServer({
        "hooks.example.com": ["192.0.2.1", "192.0.2.2"],
        "empty.example.com": []
      })
      const lookup = makeNameLookup({ nameServers: [server.address], hostsFile: noHosts })
      const answers = yield* Effect.promise(() => lookup("hooks.example.com"))
      assert.deepStrictEqual(answers, [
        { address: "192.0.2.1", family: 4 },
        { address: "192.0.2.2", family: 4 }
      ])
      assert.strictEqual(yield* codeOf(lookup("empty.example.com")), "ENODATA")
    })
  )

  it.live("asks nobody about a name of the hosts file, as it is now", () =>
    Effect.gen(function* () {
      const server = yield* nameServer({})
      const file = yield* hostsFile
      writeFileSync(file, "# ours\n127.0.0.1 hooks.example.com Other.example.com # both\n::1 x\n")
      const lookup = makeNameLookup({ nameServers: [server.address], hostsFile: file })
      const asked = (name: string) => Effect.promise(() => lookup(name))
      assert.deepStrictEqual(yield* asked("other.example.com"), [
        { address: "127.0.0.1", family: 4 }
      ])
      writeFileSync(file, "127.0.0.2 hooks.example.com\n::1 hooks.example.com\n")
      utimesSync(file, 1, 1)
      assert.deepStrictEqual(yield* asked("hooks.example.com"), [
        { address: "127.0.0.2", family: 4 },
        { address: "::1", family: 6 }
      ])
      assert.deepStrictEqual(server.asked, [])
    })
  )

  it.live("lets go of a name server that is silent when nobody waits any more", () =>
    Effect.gen(function* () {
      const server = yield* nameServer({})
      const lookup = makeNameLookup({ nameServers: [server.address], hostsFile: noHosts })
      const waiting = new AbortController()
      const answer = codeOf(lookup("silent.example.com", waiting.signal))
      setTimeout(() => waiting.abort(), 50)
      assert.strictEqual(yield* answer, "ECANCELLED")
      assert.strictEqual(yield* codeOf(lookup("any.example.com", waiting.signal)), "AbortError")
    })
  )

  it.live("goes on asking about a name until the last who waits for it leaves", () =>
    Effect.gen(function* () {
      const server = yield* nameServer({})
      const lookup = makeNameLookup({ nameServers: [server.address], hostsFile: noHosts })
      const [one, other] = [new AbortController(), new AbortController()]
      const answers = [
        codeOf(lookup("silent.example.com", one.signal)),
        codeOf(lookup("silent.example.com", other.signal))
      ]
      let isEnded = false
      const ended = Effect.runPromise(Effect.all(answers, { concurrency: "unbounded" }))
      void ended.then(() => {
        isEnded = true
      })
      one.abort()
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
      assert.isFalse(isEnded)
      other.abort()
      assert.deepStrictEqual(yield* Effect.promise(() => ended), ["ECANCELLED", "ECANCELLED"])
    })
  )

  it.live("reaches a healthy name while many others wait for a silent name server", () =>
    Effect.gen(function* () {
      const server = yield* nameServer({ "hooks.example.com": ["127.0.0.1"] })
      const receiver = yield* httpReceiver((_request, response) => response.end("ok"))
      const lookup = makeNameLookup({ nameServers: [server.address], hostsFile: noHosts })
      const guarded = yield* dispatcherFor(loopback, { lookup, connectTimeoutMs: 60_000 })
      const waiting = new AbortController()
      const silent = Array.from({ length: 64 }, (_, index) =>
        codeOf(lookup(`silent-${index}.example.com`, waiting.signal))
      )
      let endedCount = 0
      for (const one of silent) void Effect.runPromise(one).then(() => endedCount++)
      const url = `http://hooks.example.com:${receiver.port}/`
      const outcome = yield* postNotification(guarded, notificationTo(url))
      assert.deepInclude(outcome, { status: 200 })
      assert.strictEqual(endedCount, 0)
      waiting.abort()
    })
  )

  it.live("asks the system about two private names at a time, and once about each", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const answers: Array<(found: ReadonlyArray<ResolvedAddress>) => void> = []
      const askSystem = (name: string) => {
        asked.push(name)
        return new Promise<ReadonlyArray<ResolvedAddress>>((resolve) => answers.push(resolve))
      }
      const options = { hostsFile: noHosts, askSystem }
      // Two look-ups share what the process may ask.
      const [one, other] = [makeNameLookup(options), makeNameLookup(options)]
      const found = [
        one("a.internal"),
        one("a.internal"),
        other("b.internal"),
        one("c.internal"),
        other("receiver")
      ]
      const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* turn
      assert.deepStrictEqual(asked, ["a.internal", "b.internal"])
      answers[0]!([{ address: "10.0.0.1", family: 4 }])
      yield* turn
      assert.deepStrictEqual(asked, ["a.internal", "b.internal", "c.internal"])
      for (const at of [1, 2]) answers[at]!([])
      yield* turn
      answers[3]!([])
      const all = yield* Effect.promise(() => Promise.all(found))
      assert.deepStrictEqual(
        all.map(({ length }) => length),
        [1, 1, 0, 0, 0]
      )
    })
  )
})
