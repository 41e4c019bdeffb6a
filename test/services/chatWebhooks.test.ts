/**
 * Webhooks of chats as their owners register and change them: their addresses are secrets.
 */
import { EndpointStore, Ids, SecretBox, sealWith, WebhookEndpoints } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { countingTransport, in2026, refusal, refusalCode } from "./setting.ts"

const App = WebhookEndpoints.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Ids.layer, countingTransport)),
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide(in2026),
  Layer.provideMerge(sealWith([new Uint8Array(32).fill(7)]))
)

const slackUrl = "https://hooks.slack.com/services/T000/B000/kept-to-itself"
const telegramUrl = "https://api.telegram.org/bot123:kept-to-itself/sendMessage"
const masked = "https://hooks.slack.com/********"
const slack = { url: slackUrl, events: ["trade.executed"], format: "slack" } as const

const makeAccount = Effect.flatMap(Ids, (ids) => ids.make("account"))

/** The address that is sent to. */
const openedUrl = Effect.fnUntraced(function* (id: string) {
  const kept = yield* Effect.flatMap(EndpointStore, ({ getMany }) => getMany([id]))
  const sealed = kept[0]?.sealed_url ?? null
  return sealed === null ? null : yield* (yield* SecretBox).open(sealed)
})

describe("a webhook of a chat", () => {
  it.effect("never shows its address, which is kept sealed", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const mine = yield* makeAccount
      const { secret: _, ...made } = yield* webhooks.register(mine, slack)
      assert.deepInclude(made, {
        url: masked,
        format: "slack",
        chat_id: null,
        max_concurrency: 1,
        rate_per_second: 1
      })
      assert.notProperty(made, "sealed_url")
      const shown = [
        yield* webhooks.get(mine, made.id),
        ...(yield* webhooks.list(mine, { limit: 10 })).items,
        yield* webhooks.update(mine, made.id, { description: "trades" })
      ]
      for (const view of shown) assert.strictEqual(view.url, masked)
      assert.notInclude(JSON.stringify(shown), "kept-to-itself")
      const kept = yield* Effect.flatMap(EndpointStore, ({ getMany }) => getMany([made.id]))
      assert.notInclude(JSON.stringify(kept), "kept-to-itself")
      assert.strictEqual(yield* openedUrl(made.id), slackUrl)
    }).pipe(Effect.provide(App))
  )

  it.effect("keeps its address where the masked one is put back, and takes a new one", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const mine = yield* makeAccount
      const { id, url } = yield* webhooks.register(mine, slack)
      yield* webhooks.replace(mine, id, { ...slack, url })
      assert.strictEqual(yield* openedUrl(id), slackUrl)
      const moved = yield* webhooks.update(mine, id, { url: `${slackUrl}-2` })
      assert.strictEqual(moved.url, masked)
      assert.strictEqual(yield* openedUrl(id), `${slackUrl}-2`)
      // A secret address stays one until its owner gives an address that is none.
      const left = yield* webhooks.update(mine, id, { format: "candlewick" })
      assert.deepInclude(left, { url: masked, format: "candlewick" })
      const open = yield* webhooks.update(mine, id, { url: "https://example.com/hook" })
      assert.strictEqual(open.url, "https://example.com/hook")
      assert.isNull(yield* openedUrl(id))
    }).pipe(Effect.provide(App))
  )

  it.effect("seals the address of an endpoint that becomes one", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const mine = yield* makeAccount
      const plain = { url: slackUrl, events: slack.events } as const
      const { id } = yield* webhooks.register(mine, plain)
      const changed = yield* webhooks.update(mine, id, { format: "slack" })
      assert.strictEqual(changed.url, masked)
      assert.strictEqual(yield* openedUrl(id), slackUrl)
    }).pipe(Effect.provide(App))
  )

  it.effect("has to name what its service needs", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const mine = yield* makeAccount
      const telegram = { ...slack, url: telegramUrl, format: "telegram" } as const
      const errorsOf = (request: Parameters<typeof webhooks.register>[1]) =>
        Effect.map(refusal(webhooks.register(mine, request)), ({ errors }) => errors)
      assert.deepInclude((yield* errorsOf(telegram))?.[0], {
        pointer: "/chat_id",
        code: "required"
      })
      const chatted = { ...telegram, chat_id: "-100123" }
      assert.deepInclude((yield* errorsOf({ ...chatted, url: slackUrl }))?.[0], { pointer: "/url" })
      assert.deepInclude((yield* errorsOf({ ...slack, chat_id: "@news" }))?.[0], {
        pointer: "/chat_id",
        code: "not_allowed"
      })
      assert.deepInclude((yield* errorsOf({ ...slack, url: masked }))?.[0], {
        pointer: "/url",
        code: "not_allowed"
      })
      assert.lengthOf((yield* webhooks.list(mine, { limit: 10 })).items, 0)
      const { id, url } = yield* webhooks.register(mine, chatted)
      assert.strictEqual(url, "https://api.telegram.org/********")
      // The address of one service is no address of another.
      const other = webhooks.update(mine, id, { format: "slack" })
      assert.strictEqual(yield* refusalCode(other), "validation_failed")
      const moved = yield* webhooks.update(mine, id, { format: "slack", url: slackUrl })
      assert.deepInclude(moved, { format: "slack", chat_id: null, url: masked })
    }).pipe(Effect.provide(App))
  )
})
