/**
 * The share of the server that one account, and callers without a key, may have at the same time.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Agent, get, type IncomingMessage, request } from "node:http"
import { connect, type Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import { fullKey } from "../fakes.ts"
import { startServer } from "../server.ts"

const series = "symbol=BTC%2FUSDT&timeframe=1h"
const authorization = `Bearer ${fullKey}`

/** A connection on which nothing is asked, once the server has it. */
const openIdle = async (baseUrl: string): Promise<Socket> => {
  const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1")
  socket.on("error", () => undefined)
  await new Promise((resolve) => socket.once("connect", resolve))
  return socket
}

const isClosed = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve(true)
    else socket.once("close", () => resolve(true))
  })

/** Asks with the key on a connection of its own, which stays open. */
const askOnce = (
  baseUrl: string
): Promise<{ readonly status: number | undefined; readonly socket: Socket }> =>
  new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const asked = get(`${baseUrl}/v1/bots`, { agent, headers: { authorization } }, (answer) => {
      const { socket } = answer
      answer.resume().once("end", () => resolve({ status: answer.statusCode, socket }))
    })
    asked.once("error", reject)
  })

/** An import whose body has begun and not ended; `end` ends it and tells the status. */
const beginImport = (baseUrl: string) => {
  const sent = request(`${baseUrl}/v1/candles?${series}`, {
    method: "POST",
    agent: false,
    headers: { authorization, "content-type": "text/csv" }
  })
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.once("response", (answer: IncomingMessage) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.once("error", reject)
  })
  sent.write("time,open,high,low,close,volume\n")
  const end = () => {
    sent.end("2024-01-01T00:00:00Z,1,1,1,1,1\n")
    return Effect.promise(() => status)
  }
  return { end }
}

describe("connections", () => {
  it.live("without a key make room for newer ones beyond their bound", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ anonymousConnectionsMax: 3 })
      const idle: Array<Socket> = []
      for (let count = 0; count < 6; count++) {
        idle.push(yield* Effect.promise(() => openIdle(baseUrl)))
      }
      for (const socket of idle.slice(0, 3)) {
        assert.isTrue(yield* Effect.promise(() => isClosed(socket)))
      }
      const { socket, status } = yield* Effect.promise(() => askOnce(baseUrl))
      assert.strictEqual(status, 200)
      for (let count = 0; count < 6; count++) {
        idle.push(yield* Effect.promise(() => openIdle(baseUrl)))
      }
      assert.isTrue(yield* Effect.promise(() => isClosed(idle[8]!)))
      assert.isFalse(socket.destroyed, "one on which a key was accepted is not among them")
      for (const each of [...idle, socket]) each.destroy()
    })
  )

  it.live("of an account that are idle make room for its newer ones", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ connectionsPerAccountMax: 2 })
      const sockets: Array<Socket> = []
      for (let count = 0; count < 3; count++) {
        const { socket, status } = yield* Effect.promise(() => askOnce(baseUrl))
        assert.strictEqual(status, 200)
        sockets.push(socket)
      }
      assert.isTrue(yield* Effect.promise(() => isClosed(sockets[0]!)))
      assert.deepStrictEqual(
        sockets.slice(1).map((socket) => socket.destroyed),
        [false, false]
      )
      for (const each of sockets) each.destroy()
    })
  )
})

describe("an account", () => {
  /** Asks until the answer has this status: what was begun elsewhere takes its place by and by. */
  const until = (ask: Effect.Effect<{ readonly status: number }>, status: number) =>
    Effect.gen(function* () {
      for (;;) {
        if ((yield* ask).status === status) return
        yield* Effect.promise(() => setImmediate())
      }
    })

  it.live("imports so many files at once, and may do anything else meanwhile", () =>
    Effect.gen(function* () {
      const { baseUrl, call } = yield* startServer({ budgets: { imports: 1 } })
      const first = beginImport(baseUrl)
      const another = call("POST", `/v1/candles?${series}`, "", { "content-type": "text/csv" })
      yield* until(another, 429)
      const refused = yield* another
      assert.strictEqual(refused.json.code, "rate_limited")
      assert.strictEqual(refused.headers.get("retry-after"), "5")
      assert.include(refused.json.detail, "1 imports under way")
      assert.strictEqual((yield* call("GET", "/v1/bots")).status, 200)
      assert.strictEqual(yield* first.end(), 200)
      const again = beginImport(baseUrl)
      assert.strictEqual(yield* again.end(), 200)
    })
  )

  it.live("has so many requests under way, whatever keys they have", () =>
    Effect.gen(function* () {
      const { baseUrl, call } = yield* startServer({
        budgets: { requests: 1 },
        rates: { reads: 100_000 }
      })
      const slow = beginImport(baseUrl)
      const other = call("GET", "/v1/bots", undefined, { authorization: `${authorization}2` })
      yield* until(other, 429)
      assert.strictEqual(yield* slow.end(), 200)
      yield* until(other, 200)
    })
  )

  it.live("has the quotas of five keys, however many it makes", () =>
    Effect.gen(function* () {
      const { call } = yield* startServer({ rates: { reads: 1 } })
      const statuses: Array<number> = []
      for (const suffix of ["", "2", "3", "4", "5", "6"]) {
        const headers = { authorization: authorization + suffix }
        statuses.push((yield* call("GET", "/v1/bots", undefined, headers)).status)
      }
      assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200, 429])
    })
  )
})
