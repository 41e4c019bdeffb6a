import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ResolvedAddress } from "../src/lookUpName.ts"
import { makeNameLookup } from "../src/lookUpName.ts"
import { postNotification } from "../src/postNotification.ts"
import { nameServer } from "./nameServer.ts"
import { dispatcherFor, httpReceiver, loopback, notificationTo } from "./receiver.ts"

/** A resolver that gives the next answers at every question, and counts the questions. */
const resolver = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const questions: Array<string> = []
  const lookup = async (hostname: string): Promise<ReadonlyArray<ResolvedAddress>> => {
    const next = answers[Math.min(questions.length, answers.length - 1)]!
    questions.push(hostname)
    return next.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  }
  return { lookup, questions }
}

const receive = httpReceiver((_request, response) => response.end("ok"))

describe("guardedDispatcher", () => {
  it.live("connects to a name whose every answer is allowed", () =>
    Effect.gen(function* () {
      const receiver = yield* receive
      const { lookup, questions } = resolver(["127.0.0.1"])
      const guarded = yield* dispatcherFor(loopback, { lookup })
      const url = `http://hooks.example.com:${receiver.port}/`
      assert.deepInclude(yield* postNotification(guarded, notificationTo(url)), { status: 200 })
      assert.deepStrictEqual(questions, ["hooks.example.com"])
    })
  )

  it.live("refuses a name with any forbidden answer, and connects nowhere", () =>
    Effect.gen(function* () {
      const receiver = yield* receive
      for (const answers of [
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["127.0.0.1", "fd00::1"],
        ["127.0.0.1", "127.0.0.2"],
        ["::ffff:127.0.0.1"],
        ["fe80::1%eth0"]
      ]) {
        const guarded = yield* dispatcherFor(loopback, { lookup: resolver(answers).lookup })
        const url = `http://hooks.example.com:${receiver.port}/`
        const outcome = yield* postNotification(guarded, notificationTo(url))
        assert.deepInclude(outcome, { error: "ssrf_blocked", status: null }, answers.join(" "))
        const refusal = outcome._tag === "Unanswered" ? outcome.refusal : undefined
        // The rule, for operators; an address is in none of it.
        assert.match(String(refusal), /^[a-z_]+$/, answers.join(" "))
      }
      assert.strictEqual(receiver.connections(), 0)
    })
  )

  it.live("refuses a public name that is an alias of an internal one", () =>
    Effect.gen(function* () {
      const names = yield* nameServer(
        { "db.internal": ["10.0.0.5"], "front.example.com": ["127.0.0.1"] },
        { "hooks.example.com": "db.internal", "alias.example.com": "front.example.com" }
      )
      const receiver = yield* receive
      const lookup = makeNameLookup({ nameServers: [names.address], hostsFile: "/nowhere/hosts" })
      const guarded = yield* dispatcherFor(loopback, { lookup })
      const post = (host: string) =>
        postNotification(guarded, notificationTo(`http://${host}:${receiver.port}/`))
      assert.deepInclude(yield* post("hooks.example.com"), { error: "ssrf_blocked" })
      assert.strictEqual(receiver.connections(), 0)
      assert.deepInclude(yield* post("alias.example.com"), { status: 200 })
      assert.deepStrictEqual([...new Set(names.asked)], ["hooks.example.com", "alias.example.com"])
    })
  )

  it.live("refuses what wildcard DNS services make of forbidden addresses", () =>
    Effect.gen(function* () {
      for (const address of ["127.0.0.1", "169.254.169.254"]) {
        const guarded = yield* dispatcherFor({}, { lookup: resolver([address]).lookup })
        const outcome = yield* postNotification(
          guarded,
          notificationTo(`https://${address}.nip.io/`)
        )
        assert.deepInclude(outcome, { error: "ssrf_blocked" })
      }
    })
  )

  it.live("asks for a name once in a delivery, so that no second answer can be another", () =>
    Effect.gen(function* () {
      const receiver = yield* receive
      const inside = yield* httpReceiver(
        (_request, response) => response.end("inside"),
        "127.0.0.2",
        receiver.port
      )
      const { lookup, questions } = resolver(["127.0.0.1"], ["127.0.0.2"])
      const url = `http://hooks.example.com:${receiver.port}/`
      const first = yield* dispatcherFor(loopback, { lookup, connectionsPerOrigin: 1 })
      assert.deepInclude(yield* postNotification(first, notificationTo(url)), { status: 200 })
      assert.strictEqual(questions.length, 1)
      const kept = yield* postNotification(first, notificationTo(url))
      assert.deepInclude(kept, { status: 200 })
      assert.strictEqual(questions.length, 1)
      const second = yield* dispatcherFor(loopback, { lookup })
      const rebound = yield* postNotification(second, notificationTo(url))
      assert.deepInclude(rebound, { error: "ssrf_blocked" })
      assert.strictEqual(receiver.connections(), 1)
      assert.strictEqual(inside.connections(), 0)
    })
  )

  it.live("checks a literal address although nobody looks it up", () =>
    Effect.gen(function* () {
      const receiver = yield* receive
      const { lookup, questions } = resolver(["8.8.8.8"])
      const guarded = yield* dispatcherFor({ allowHttp: true }, { lookup })
      for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "2130706433"]) {
        const url = `http://${host}:${receiver.port}`
        const outcome = yield* Effect.promise(() =>
          guarded.dispatcher.request({ origin: url, path: "/", method: "POST" }).then(
            () => "connected",
            (error: Error) => error.message
          )
        )
        assert.strictEqual(outcome, "no connection was made: ssrf_blocked", host)
      }
      assert.deepStrictEqual(questions, [])
      assert.strictEqual(receiver.connections(), 0)
    })
  )

  it.live("applies rules that became tighter to an endpoint that was registered before", () =>
    Effect.gen(function* () {
      const receiver = yield* receive
      const guarded = yield* dispatcherFor({ allowCidrs: ["10.0.0.0/8"], allowHttp: true })
      const outcome = yield* postNotification(guarded, notificationTo(receiver.url))
      assert.deepInclude(outcome, { error: "ssrf_blocked", status: null })
      assert.strictEqual(receiver.connections(), 0)
    })
  )

  it.live("reports a name that has no address, or whose look-up fails", () =>
    Effect.gen(function* () {
      for (const lookup of [
        async () => [],
        () => Promise.reject(Object.assign(new Error("ENOTFOUND 10.0.0.53"), { code: "ENOTFOUND" }))
      ]) {
        const guarded = yield* dispatcherFor(loopback, { lookup })
        const url = notificationTo("https://nowhere.example.com/")
        assert.deepInclude(yield* postNotification(guarded, url), { error: "dns_error" })
      }
    })
  )

  it.live("gives up connecting before the whole attempt's time is over", () =>
    Effect.gen(function* () {
      const lookup = () => new Promise<never>(() => {})
      const guarded = yield* dispatcherFor(loopback, { lookup, connectTimeoutMs: 50 })
      const outcome = yield* postNotification(guarded, notificationTo("https://slow.example.com/"))
      assert.deepInclude(outcome, { error: "timeout", status: null })
    })
  )

  it.live("opens no more connections to one origin than it may", () =>
    Effect.gen(function* () {
      const receiver = yield* receive
      const guarded = yield* dispatcherFor(loopback, { connectionsPerOrigin: 2 })
      const posts = Array.from({ length: 12 }, () =>
        postNotification(guarded, notificationTo(receiver.url))
      )
      const outcomes = yield* Effect.all(posts, { concurrency: "unbounded" })
      for (const outcome of outcomes) assert.deepInclude(outcome, { status: 200 })
      assert.strictEqual(receiver.connections(), 2)
    })
  )
})
