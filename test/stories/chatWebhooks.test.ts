/**
 * Events on their way to chats: services on this machine, each of which takes only the shape that
 * it documents, and answers as it documents.
 */
import { createServer } from "node:http"
import { DeliveryStore, type WebhookEndpoint } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { OnLoopback } from "./loopbackReceiver.ts"
import { announce, deliveriesOf, register } from "./webhookWorld.ts"
import { eventually } from "./world.ts"

interface Answer {
  readonly status: number
  readonly type?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

type Service = (path: string, body: Readonly<Record<string, unknown>>) => Answer

const json = (status: number, body: unknown, headers = {}): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(body),
  headers
})

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
const slack: Service = (path, { text, ...rest }) => {
  if (path !== "/services/T000/B000/secret") return { status: 404, body: "no_service" }
  const known = ["mrkdwn", "unfurl_links", "unfurl_media"]
  const isValid =
    typeof text === "string" &&
    text.length <= 4000 &&
    Object.entries(rest).every(([key, value]) => known.includes(key) && value === false)
  return isValid
    ? { status: 200, type: "text/html", body: "ok" }
    : { status: 400, body: "invalid_payload" }
}

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
const discord: Service = (path, { allowed_mentions, content, flags, ...rest }) => {
  if (path !== "/api/webhooks/1/secret") return json(404, { message: "Unknown Webhook" })
  const isValid =
    typeof content === "string" &&
    content.length > 0 &&
    content.length <= 2000 &&
    JSON.stringify(allowed_mentions) === '{"parse":[]}' &&
    flags === 4 &&
    Object.keys(rest).length === 0
  return isValid ? { status: 204 } : json(400, { message: "Invalid Form Body", code: 50_035 })
}

/** https://core.telegram.org/bots/api#sendmessage */
const telegram: Service = (path, { chat_id, link_preview_options, text, ...rest }) => {
  if (path !== "/bot1:secret/sendMessage") {
    return json(404, { ok: false, error_code: 404, description: "Not Found" })
  }
  const isValid =
    chat_id === "-100123" &&
    typeof text === "string" &&
    text.length > 0 &&
    text.length <= 4096 &&
    JSON.stringify(link_preview_options) === '{"is_disabled":true}' &&
    Object.keys(rest).length === 0
  return isValid
    ? json(200, { ok: true, result: { message_id: 1, text } })
    : json(400, { ok: false, error_code: 400, description: "Bad Request" })
}

const paths = {
  slack: "/services/T000/B000/secret",
  discord: "/api/webhooks/1/secret",
  telegram: "/bot1:secret/sendMessage"
} as const

/** A service on this machine, and the texts of the requests that it got. */
const serving = (service: Service) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ origin: string; got: Array<string>; close: () => void }>((resolve) => {
          const got: Array<string> = []
          const server = createServer((request, response) => {
            let text = ""
            request.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")))
            request.on("end", () => {
              got.push(text)
              const isJson = request.headers["content-type"] === "application/json"
              const answer = isJson
                ? service(request.url ?? "", JSON.parse(text))
                : { status: 415, body: "" }
              const type = answer.type === undefined ? {} : { "content-type": answer.type }
              response.writeHead(answer.status, { ...type, ...answer.headers }).end(answer.body)
            })
          })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resolve({
              origin: `http://127.0.0.1:${port}`,
              got,
              close: () => void server.close()
            })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )

const chat = (format: keyof typeof paths, origin: string, fields: Partial<WebhookEndpoint> = {}) =>
  register(`${origin}/********`, {
    format,
    chat_id: format === "telegram" ? "-100123" : null,
    sealed_url: `${origin}${paths[format]}`,
    ...fields
  })

const over = (id: string) =>
  eventually(deliveriesOf(id), ([one]) => (one?.attempts[0]?.duration_ms ?? null) !== null)

describe("a chat", () => {
  it.live("gets each event as the message that its service documents", () =>
    Effect.gen(function* () {
      for (const [format, service] of Object.entries({ slack, discord, telegram })) {
        const { got, origin } = yield* serving(service)
        const { id } = yield* chat(format as keyof typeof paths, origin)
        yield* announce({ amount: 0.25, price: 64_250.5, bot_id: "bot_1" })
        const [delivery] = yield* over(id)
        assert.strictEqual(delivery?.status, "succeeded", `${format}: ${got[0]}`)
        assert.include(got[0], "bought 0.25 BTC/USD at 64,250.5 USD")
      }
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )

  it.live("that is asked too often gets its message again after the wait that it names", () =>
    Effect.gen(function* () {
      const limited = {
        slack: () => ({ status: 429, headers: { "retry-after": "90" } }),
        discord: () =>
          json(429, { message: "You are being rate limited.", retry_after: 90, global: false }),
        telegram: () => json(429, { ok: false, error_code: 429, parameters: { retry_after: 90 } })
      } as const
      for (const [format, service] of Object.entries(limited)) {
        const { origin } = yield* serving(service)
        const { id } = yield* chat(format as keyof typeof paths, origin)
        yield* announce()
        const [delivery] = yield* over(id)
        assert.deepInclude(delivery, { status: "retrying" })
        const [attempt] = delivery!.attempts
        assert.deepInclude(attempt, { status: 429, error: "http_status" })
        const waitMs = delivery!.due_at_ms - Date.parse(attempt!.started_at)
        assert.isAtLeast(waitMs, 90_000, format)
      }
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )

  it.live("that answers 200 and refuses is tried again", () =>
    Effect.gen(function* () {
      const { origin } = yield* serving(() => json(200, { ok: false, error: "not_authed" }))
      const { id } = yield* chat("slack", origin)
      yield* announce()
      const [delivery] = yield* over(id)
      assert.deepInclude(delivery, { status: "retrying" })
      assert.deepInclude(delivery!.attempts[0], { status: 200, error: "not_ok" })
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )

  it.live("that can't be reached leaves no word of its address in log and deliveries", () => {
    const logged: Array<string> = []
    const logger = Logger.make((entry) => void logged.push(JSON.stringify(entry.message)))
    return Effect.gen(function* () {
      const { close, origin } = yield* serving(slack)
      close()
      const { id } = yield* chat("slack", origin)
      // An address that the policy refuses, and one that can't be opened.
      const blocked = yield* chat("slack", "http://10.1.2.3")
      const unread = yield* chat("slack", origin, { sealed_url: "sealed.v1.secret.secret.secret" })
      yield* announce()
      const seen = [yield* over(id), yield* over(blocked.id), yield* over(unread.id)]
      const errors = seen.map(([delivery]) => delivery?.attempts[0]?.error)
      assert.deepStrictEqual(errors, ["connect_refused", "ssrf_blocked", "secret_unreadable"])
      const store = yield* DeliveryStore
      const kept = yield* store.get(id, seen[0]![0]!.id)
      assert.notInclude(JSON.stringify([seen, kept]), "secret/")
      assert.isNotEmpty(logged)
      assert.notInclude(logged.join("\n"), "/B000/secret")
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(OnLoopback, Logger.layer([logger]))))
  })
})
