/** Requests that never reach an operation: Node's parser refuses them, or they never end. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { fullKey } from "../fakes.ts"
import { startServer } from "../server.ts"

/** A connection, everything that was answered on it, and whether the server closed it. */
const open = (baseUrl: string): { readonly socket: Socket; readonly closed: Promise<string> } => {
  const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1")
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  socket.on("error", () => undefined)
  return { socket, closed: new Promise((resolve) => socket.once("close", () => resolve(text))) }
}

const answerTo = (baseUrl: string, request: string): Effect.Effect<string> =>
  Effect.promise(() => {
    const { closed, socket } = open(baseUrl)
    socket.write(request)
    return closed
  })

const bodyOf = (answer: string) => {
  const [head = "", ...rest] = answer.split("\r\n\r\n")
  const chunked = /transfer-encoding: chunked/i.test(head)
  const text = rest.join("\r\n\r\n")
  return JSON.parse(
    chunked ? text.slice(text.indexOf("\r\n") + 2, text.lastIndexOf("}") + 1) : text
  )
}

it.live("answers what is no HTTP with a problem, and closes", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* startServer()
    for (const [request, status, code] of [
      ["nonsense\r\n\r\n", 400, "malformed_request"],
      ["GET /v1/bots HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n", 400, "malformed_request"],
      [
        "POST /v1/bots HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
        400,
        "malformed_request"
      ],
      [
        `GET /v1/bots HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`,
        431,
        "headers_too_large"
      ],
      [
        "GET /v1/bots?x=1 HTTP/1.1\r\nhost: x\r\nexpect: nonsense\r\n\r\n",
        417,
        "expectation_failed"
      ]
    ] as const) {
      const answer = yield* answerTo(baseUrl, request)
      assert.isTrue(answer.startsWith(`HTTP/1.1 ${status} `), answer)
      assert.match(answer, /content-type: application\/problem\+json/i)
      const body = bodyOf(answer)
      assert.deepInclude(body, { status, code, errors: [] })
      assert.match(answer, new RegExp(`x-request-id: ${body.request_id}`, "i"))
      assert.match(body.request_id, /^req_/)
      for (const field of ["type", "title", "detail"]) assert.isNotEmpty(body[field])
    }
  }).pipe(Effect.scoped)
)

it.live("closes a connection whose body does not come after its answer", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* startServer({
      unreadBodyTimeoutMs: 100,
      // Nothing else is to close it.
      stallTimeoutMs: 3_600_000
    })
    const head = "POST /v1/bots HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    const answer = yield* answerTo(
      baseUrl,
      `${head}authorization: Bearer wrong\r\ncontent-length: 1000\r\n\r\n{`
    )
    assert.match(answer, /^HTTP\/1.1 401 /)
    // A body that comes to its end leaves the connection to the next request.
    const { closed, socket } = open(baseUrl)
    socket.write(`${head}authorization: Bearer wrong\r\ncontent-length: 2\r\n\r\n{}`)
    yield* Effect.sleep("400 millis")
    const next = "GET /v1/bots HTTP/1.1\r\nhost: x\r\nconnection: close\r\n"
    socket.write(`${next}authorization: Bearer ${fullKey}\r\n\r\n`)
    const both = yield* Effect.promise(() => closed)
    assert.match(both, /^HTTP\/1.1 401 /)
    assert.match(both, /\r\n\r\n[^]*HTTP\/1.1 200 /)
  }).pipe(Effect.scoped)
)
