import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { postNotification } from "../src/postNotification.ts"
import {
  dispatcherFor,
  httpReceiver,
  httpsReceiver,
  notificationTo,
  tcpReceiver
} from "./receiver.ts"
import { testCertificate } from "./testCertificate.ts"

const until = (isSo: () => boolean) =>
  Effect.gen(function* () {
    while (!isSo()) yield* Effect.sleep(5)
  })

const post = (url: string, timeoutMs?: number) =>
  Effect.gen(function* () {
    return yield* postNotification(yield* dispatcherFor(), notificationTo(url, timeoutMs))
  })

/** Posts to a receiver that writes these bytes once it is spoken to. */
const postToAnswer = (answer: string | Buffer, end = true) =>
  Effect.gen(function* () {
    const receiver = yield* tcpReceiver((socket) => {
      socket.once("data", () => (end ? socket.end(answer) : socket.write(answer)))
    })
    return yield* post(receiver.url)
  })

const errorOf = (outcome: { readonly _tag: string; readonly error?: string }) => outcome.error

const answer = (headers: ReadonlyArray<string>, body: string | Buffer, status = "200 OK") => {
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${body.length}`, "", ""]
  return Buffer.concat([Buffer.from(head.join("\r\n")), Buffer.from(body)])
}

describe("postNotification, where there is an answer", () => {
  it.live(
    "sends the bytes and headers as given, asks for no compression, and reads the answer",
    () =>
      Effect.gen(function* () {
        const seen: Array<unknown> = []
        const receiver = yield* httpReceiver((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { host: _host, ...headers } = request.headers
            seen.push(request.method, request.url, Buffer.concat(chunks).toString(), headers)
            response.writeHead(202, { "content-type": "text/plain" }).end("thanks")
          })
        })
        const outcome = yield* post(receiver.url)
        assert.deepInclude(outcome, {
          _tag: "Answered",
          status: 202,
          responseBytes: 6,
          responseText: "thanks",
          retryAfter: null,
          receiverRequest: null
        })
        assert.deepStrictEqual(seen.slice(0, 3), [
          "POST",
          "/hook?x=1",
          '{"event":"trade.executed"}'
        ])
        assert.deepStrictEqual(seen[3], {
          connection: "keep-alive",
          "content-type": "application/json",
          "content-length": "26",
          "webhook-id": "msg_1",
          "accept-encoding": "identity"
        })
      })
  )

  it.live("tells what a receiver asks for in its headers", () =>
    Effect.gen(function* () {
      const headers = ["Retry-After: 120", "Webhook-Delivery: Disable"]
      assert.deepInclude(yield* postToAnswer(answer(headers, "", "503 Busy")), {
        status: 503,
        retryAfter: "120",
        receiverRequest: "disable"
      })
      assert.deepInclude(yield* postToAnswer(answer(["webhook-delivery: abort-message"], "")), {
        receiverRequest: "abort-message"
      })
      assert.deepInclude(yield* postToAnswer(answer(["webhook-delivery: explode"], "")), {
        receiverRequest: null
      })
    })
  )

  it.live("keeps the first kibibyte of text, whole characters and no control characters", () =>
    Effect.gen(function* () {
      const body = Buffer.from("\u0000\u001b" + "a".repeat(1021) + "é".repeat(2000))
      const outcome = yield* postToAnswer(answer(["content-type: application/problem+json"], body))
      assert.deepInclude(outcome, {
        responseBytes: body.length,
        responseText: "\uFFFD\uFFFD" + "a".repeat(1021)
      })
    })
  )

  it.live("keeps nothing of a body that isn't text", () =>
    Effect.gen(function* () {
      for (const headers of [["content-type: image/png"], []]) {
        const outcome = yield* postToAnswer(answer(headers, "abc"))
        assert.deepInclude(outcome, { status: 200, responseBytes: 3, responseText: null })
      }
    })
  )

  it.live("does not unpack a compressed answer", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(20_000_000))
      const headers = ["content-type: text/plain", "content-encoding: gzip"]
      const outcome = yield* postToAnswer(answer(headers, bomb))
      assert.deepInclude(outcome, { responseBytes: bomb.length, responseText: null })
    })
  )

  it.live("stops reading an endless body after 64 KiB, drops it, and keeps the status", () =>
    Effect.gen(function* () {
      let written = 0
      const receiver = yield* httpReceiver((_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" })
        const chunk = Buffer.alloc(16_384, 97)
        const write = () => {
          while (!response.destroyed && written < 200_000_000) {
            written += chunk.length
            if (!response.write(chunk)) {
              response.once("drain", write)
              return
            }
          }
        }
        write()
      })
      const outcome = yield* post(receiver.url)
      assert.deepInclude(outcome, { status: 200, responseBytes: 65_536 })
      yield* until(() => receiver.openSockets() === 0)
      assert.isBelow(written, 50_000_000)
    })
  )
})

describe("postNotification, where there is none", () => {
  it.live("follows no redirect, to whatever place", () =>
    Effect.gen(function* () {
      const target = yield* httpReceiver((_request, response) => response.end("secret"))
      for (const status of [301, 302, 303, 307, 308]) {
        const receiver = yield* httpReceiver((_request, response) => {
          response.writeHead(status, { location: target.url, "retry-after": "120" }).end()
        })
        const outcome = yield* post(receiver.url)
        assert.deepInclude(outcome, { error: "redirect", status, retryAfter: "120" })
      }
      assert.strictEqual(target.connections(), 0)
    })
  )

  it.live("times out on a body that drips for ever, and lets go of the connection", () =>
    Effect.gen(function* () {
      const receiver = yield* httpReceiver((_request, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write("."), 10)
        response.on("close", () => clearInterval(timer))
      })
      const outcome = yield* post(receiver.url, 200)
      assert.deepInclude(outcome, { _tag: "Unanswered", error: "timeout", status: 200 })
      yield* until(() => receiver.openSockets() === 0)
    })
  )

  it.live("tells what came with a status, also where the body behind it never ends", () =>
    Effect.gen(function* () {
      const head = ["retry-after: 120", "webhook-delivery: disable", "content-length: 9", "", "a"]
      const receiver = yield* tcpReceiver((socket) => {
        socket.once("data", () => socket.write(["HTTP/1.1 410 Gone", ...head].join("\r\n")))
      })
      assert.deepInclude(yield* post(receiver.url, 200), {
        _tag: "Unanswered",
        error: "timeout",
        status: 410,
        retryAfter: "120",
        receiverRequest: "disable"
      })
    })
  )

  it.live("times out on a receiver that only ever says that it is at work", () =>
    Effect.gen(function* () {
      const receiver = yield* tcpReceiver((socket) => {
        socket.once("data", () => {
          const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 10)
          socket.on("close", () => clearInterval(timer))
        })
      })
      assert.deepInclude(yield* post(receiver.url, 200), { error: "timeout", status: null })
    })
  )

  it.live("breaks off a receiver that says 100 Continue, which nobody asked for", () =>
    Effect.gen(function* () {
      const receiver = yield* tcpReceiver((socket) => {
        socket.once("data", () => socket.write("HTTP/1.1 100 Continue\r\n\r\n"))
      })
      assert.deepInclude(yield* post(receiver.url, 5_000), { error: "connect_reset", status: null })
    })
  )

  it.live("gives up on endless headers", () =>
    Effect.gen(function* () {
      const receiver = yield* tcpReceiver((socket) => {
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\n")
          const timer = setInterval(() => socket.write(`x-a: ${"b".repeat(4000)}\r\n`), 1)
          socket.on("close", () => clearInterval(timer))
        })
      })
      assert.strictEqual(errorOf(yield* post(receiver.url)), "response_too_large")
    })
  )

  it.live("says that a connection was refused or reset, naming no address", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(
        Effect.map(
          httpReceiver(() => {}),
          (receiver) => receiver.port
        )
      )
      const refused = yield* post(`http://127.0.0.1:${port}/`)
      assert.strictEqual(errorOf(refused), "connect_refused")
      const receiver = yield* tcpReceiver((socket) => {
        socket.once("data", () => socket.resetAndDestroy())
      })
      const reset = yield* post(receiver.url)
      assert.strictEqual(errorOf(reset), "connect_reset")
      assert.strictEqual(receiver.connections(), 1)
      assert.notInclude(JSON.stringify([refused, reset]), "127.0")
    })
  )

  it.live("takes an answer that breaks off, or isn't HTTP, for a broken connection", () =>
    Effect.gen(function* () {
      const cut = yield* postToAnswer("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")
      assert.deepInclude(cut, { error: "connect_reset", status: 200 })
      assert.strictEqual(errorOf(yield* postToAnswer("SSH-2.0-OpenSSH\r\n")), "connect_reset")
      assert.strictEqual(errorOf(yield* postToAnswer("")), "connect_reset")
    })
  )

  it.live("ends as cancelled when the dispatcher is destroyed under it", () =>
    Effect.gen(function* () {
      const receiver = yield* httpReceiver(() => {})
      const guarded = yield* dispatcherFor()
      const fiber = yield* Effect.forkChild(postNotification(guarded, notificationTo(receiver.url)))
      yield* until(() => receiver.bytesReceived() > 0)
      yield* Effect.promise(() => guarded.destroy())
      assert.strictEqual(errorOf(yield* Fiber.join(fiber)), "cancelled")
    })
  )

  it.live("breaks the connection off when it is interrupted", () =>
    Effect.gen(function* () {
      const receiver = yield* httpReceiver(() => {})
      const guarded = yield* dispatcherFor()
      const fiber = yield* Effect.forkChild(postNotification(guarded, notificationTo(receiver.url)))
      yield* until(() => receiver.bytesReceived() > 0)
      yield* Fiber.interrupt(fiber)
      yield* until(() => receiver.openSockets() === 0)
      assert.strictEqual(receiver.connections(), 1)
    })
  )
})

describe("postNotification, on connections that are kept", () => {
  it.live("sends once more, at once, where a kept connection is closed under it", () =>
    Effect.gen(function* () {
      let requests = 0
      const ok = answer([], "")
      const receiver = yield* tcpReceiver((socket) => {
        let isFirst = true
        socket.on("data", () => {
          requests++
          if (isFirst) socket.write(ok)
          else socket.resetAndDestroy()
          isFirst = false
        })
      })
      const guarded = yield* dispatcherFor(undefined, { connectionsPerOrigin: 1 })
      for (const connections of [1, 2]) {
        const outcome = yield* postNotification(guarded, notificationTo(receiver.url))
        assert.deepInclude(outcome, { _tag: "Answered", status: 200 })
        assert.strictEqual(receiver.connections(), connections)
      }
      assert.strictEqual(requests, 3)
    })
  )

  it.live("sends no more than once where an answer had begun", () =>
    Effect.gen(function* () {
      let requests = 0
      const receiver = yield* tcpReceiver((socket: Socket) => {
        socket.on("data", () => {
          requests++
          if (requests === 1) socket.write(answer([], ""))
          else socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")
        })
      })
      const guarded = yield* dispatcherFor(undefined, { connectionsPerOrigin: 1 })
      yield* postNotification(guarded, notificationTo(receiver.url))
      const outcome = yield* postNotification(guarded, notificationTo(receiver.url))
      assert.deepInclude(outcome, { error: "connect_reset", status: 200 })
      assert.strictEqual(requests, 2)
    })
  )
})

describe("postNotification, over TLS", () => {
  it.live("trusts a certificate for the name in the URL and no other", () =>
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const receiver = yield* httpsReceiver((request, response) => {
        seen.push(request.headers.host)
        response.end()
      })
      const guarded = yield* dispatcherFor(undefined, {
        lookup: async () => [{ address: "127.0.0.1", family: 4 }],
        certificateAuthorities: [testCertificate]
      })
      const postTo = (host: string) =>
        postNotification(guarded, notificationTo(`https://${host}:${receiver.port}/`))
      const named = yield* postTo("receiver.example.com")
      assert.deepInclude(named, { _tag: "Answered", status: 200 })
      assert.deepStrictEqual(seen, [`receiver.example.com:${receiver.port}`])
      assert.strictEqual(errorOf(yield* postTo("other.example.com")), "tls_error")
      assert.strictEqual(errorOf(yield* postTo("127.0.0.1")), "tls_error")
    })
  )

  it.live("trusts no unknown certificate, even where the environment says to", () =>
    Effect.gen(function* () {
      let requests = 0
      const receiver = yield* httpsReceiver(() => requests++)
      const name = "NODE_TLS_REJECT_UNAUTHORIZED"
      process.env[name] = "0"
      const outcome = yield* Effect.ensuring(
        post(receiver.url),
        Effect.sync(() => delete process.env[name])
      )
      assert.strictEqual(errorOf(outcome), "tls_error")
      assert.strictEqual(requests, 0)
    })
  )

  it.live("says that TLS failed where the receiver speaks none", () =>
    Effect.gen(function* () {
      const receiver = yield* httpReceiver((_request, response) => response.end())
      const outcome = yield* post(receiver.url.replace("http:", "https:"))
      assert.strictEqual(errorOf(outcome), "tls_error")
    })
  )
})

describe("postNotification, with a proxy in the environment", () => {
  it.live("goes to the receiver and past the proxy", () =>
    Effect.gen(function* () {
      const proxy = yield* httpReceiver((_request, response) => response.end())
      const receiver = yield* httpReceiver((_request, response) => response.end())
      const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"]
      for (const name of names) process.env[name] = proxy.url
      const restore = Effect.sync(() => names.forEach((name) => delete process.env[name]))
      const outcome = yield* Effect.ensuring(post(receiver.url), restore)
      assert.deepInclude(outcome, { status: 200 })
      assert.strictEqual(receiver.connections(), 1)
      assert.strictEqual(proxy.connections(), 0)
    })
  )
})
