/** Callers that send for long, and callers that stop reading. */
import { Limits } from "@candlewick/core"
import { makeColumns } from "@candlewick/core/kernel"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { connect, type Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import { fullKey } from "../fakes.ts"
import { startServer } from "../server.ts"

const series = "symbol=BTC%2FUSDT&timeframe=1h"

/** A request whose body is written bit by bit, and the status of its answer. */
const beginImport = (baseUrl: string) => {
  const sent = request(`${baseUrl}/v1/candles?${series}`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${fullKey}`, "content-type": "text/csv" }
  })
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.once("response", (response: IncomingMessage) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.once("error", reject)
  })
  return { sent, status: Effect.promise(() => status) }
}

/** The server's ends of connections, by the ports of the callers' ends. */
const connections = new Map<number, Socket>()
const note = (message: unknown): void => {
  const { socket } = message as { readonly socket: Socket }
  connections.set(socket.remotePort!, socket)
}
beforeAll(() => subscribe("http.server.request.start", note))
afterAll(() => unsubscribe("http.server.request.start", note))

/** The server's end of a connection, once its request has come. */
const serverEnd = async (caller: Socket): Promise<Socket> => {
  while (!connections.has(caller.localPort ?? 0)) await setImmediate()
  return connections.get(caller.localPort!)!
}

/** Turns of the event loop that a body's handler takes at most from a chunk to the next one. */
const handlerTurns = 50

/** Writes a part of a body, and waits until the server, whose clock stands still, has it. */
const write = (sent: ClientRequest, text: string) =>
  Effect.promise(async () => {
    await new Promise((resolve) => sent.write(text, resolve))
    const heard = await serverEnd(sent.socket!)
    while (heard.bytesRead < sent.socket!.bytesWritten) await setImmediate()
    for (let turn = 0; turn < handlerTurns; turn++) await setImmediate()
  })

it.effect("answers a body that comes for longer than an answer may take, and no silence", () =>
  Effect.gen(function* () {
    const { baseUrl, control } = yield* startServer()
    const slow = beginImport(baseUrl)
    yield* write(slow.sent, "time,open,high,low,close,volume\n")
    const part = `${Limits.requestTimeoutSeconds - 15} seconds` as const
    for (const hour of [0, 1, 2]) {
      yield* TestClock.adjust(part)
      yield* write(slow.sent, `${hour * 3_600_000},1,2,0.5,1.5,10\n`)
    }
    slow.sent.end()
    assert.strictEqual(yield* slow.status, 200)
    assert.strictEqual(control.imported!.length, 3)

    const silent = beginImport(baseUrl)
    yield* write(silent.sent, "time,open")
    yield* TestClock.adjust(`${Limits.requestTimeoutSeconds} seconds`)
    assert.strictEqual(yield* silent.status, 504)
    silent.sent.destroy()
  }).pipe(Effect.scoped)
)

it.live("lets a caller go that stops reading its answer", () =>
  Effect.gen(function* () {
    const { baseUrl, control } = yield* startServer({ stallTimeoutMs: 500 })
    control.imported = makeColumns(1_000_000)
    const { port } = new URL(baseUrl)
    const socket = connect(Number(port), "127.0.0.1").pause()
    const head = `GET /v1/candles/export?${series} HTTP/1.1\r\nhost: x\r\n`
    socket.write(`${head}authorization: Bearer ${fullKey}\r\n\r\n`)
    yield* Effect.promise(async () => {
      const stalled = await serverEnd(socket)
      if (!stalled.destroyed) await new Promise((resolve) => stalled.once("close", resolve))
    })
    let text = ""
    socket.on("data", (chunk) => (text += String(chunk))).resume()
    yield* Effect.promise(() => new Promise((resolve) => socket.once("close", resolve)))
    assert.match(text, /^HTTP\/1.1 200/)
    assert.notInclude(text, "\r\n0\r\n\r\n", "the end of it never came")
  }).pipe(Effect.scoped)
)
