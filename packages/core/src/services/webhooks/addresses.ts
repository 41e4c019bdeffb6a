/**
 * The address of an endpoint, and its chat.
 *
 * The address of a chat's webhook is its secret: everyone who has it can write to the chat. It is
 * sealed as signing secrets are, and shown without its path.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { isChat, type NotificationFormat } from "../../domain/NotificationFormat.ts"
import { invalid, type Problem } from "../../domain/Problem.ts"
import type { WebhookChanges, WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import { isAddressOf } from "../../domain/webhooks/notificationBody.ts"
import { headerMask, isReadable, type WebhookPorts } from "./views.ts"

/** The record of an endpoint's address. */
export type Address = Pick<WebhookEndpoint, "format" | "chat_id" | "url" | "sealed_url">

const maskOf = (url: string): string => `${new URL(url).origin}/${headerMask}`

const isMasked = (url: string): boolean => url.endsWith(`/${headerMask}`)

/** An address as it is kept: sealed where it is a secret. */
const keptAddress = (
  { box }: WebhookPorts,
  url: string,
  format: NotificationFormat
): Effect.Effect<Pick<Address, "url" | "sealed_url">> =>
  isChat(format)
    ? Effect.map(box.seal(url), (sealed_url) => ({ url: maskOf(url), sealed_url }))
    : Effect.succeed({ url, sealed_url: null })

const checkShape = (format: NotificationFormat, url: string): Effect.Effect<void, Problem> => {
  const message = "The address of Telegram ends with /bot<token>/sendMessage"
  return isAddressOf(format, url)
    ? Effect.void
    : invalid([{ pointer: "/url", code: "not_allowed", message }])
}

/**
 * The chat that a format needs, or null. An endpoint that changes to another format loses its chat.
 */
const chatOf = Effect.fnUntraced(function* (
  format: NotificationFormat,
  given: string | null | undefined,
  before: string | null
): Effect.fn.Return<string | null, Problem> {
  if (format !== "telegram") {
    if (given === undefined || given === null) return null
    const message = "Only the format telegram has a chat_id"
    return yield* invalid([{ pointer: "/chat_id", code: "not_allowed", message }])
  }
  const chat = given === undefined ? before : given
  if (chat !== null) return chat
  const message = "The format telegram needs the chat_id of the chat that gets the messages"
  return yield* invalid([{ pointer: "/chat_id", code: "required", message }])
})

/** Refuses an address that is only how one is shown: nothing could be sent there. */
export const refuseMasked = (url: string): Effect.Effect<void, Problem> => {
  const message = "The mask stands for a kept address, and none is kept: send the whole address"
  return isMasked(url) ? invalid([{ pointer: "/url", code: "not_allowed", message }]) : Effect.void
}

/** The address that a new endpoint is registered with. */
export const firstAddress = Effect.fnUntraced(function* (
  ports: WebhookPorts,
  url: string,
  format: NotificationFormat,
  chatId: string | null | undefined
): Effect.fn.Return<Address, Problem> {
  yield* checkShape(format, url)
  const chat_id = yield* chatOf(format, chatId, null)
  return { format, chat_id, ...(yield* keptAddress(ports, url, format)) }
})

/** The address that changes name, or null where they leave it as it is. */
export const newAddressOf = (
  before: Pick<WebhookEndpoint, "url" | "sealed_url">,
  { url }: Pick<WebhookChanges, "url">
): string | null =>
  url === undefined || (before.sealed_url !== null && url === before.url) ? null : url

/**
 * The address after a change. Where it stays, one that is sealed has to open if the caller names
 * it, and it is never taken to another chat service.
 */
export const changedAddress = Effect.fnUntraced(function* (
  ports: WebhookPorts,
  before: WebhookEndpoint,
  changes: Pick<WebhookChanges, "url" | "format" | "chat_id">
): Effect.fn.Return<Address, Problem> {
  const format = changes.format ?? before.format
  const chat_id = yield* chatOf(format, changes.chat_id, before.chat_id)
  const url = newAddressOf(before, changes)
  if (url !== null) {
    yield* refuseMasked(url)
    yield* checkShape(format, url)
    const isSame = url === before.url && before.sealed_url === null && !isChat(format)
    const kept = isSame ? { url, sealed_url: null } : yield* keptAddress(ports, url, format)
    return { format, chat_id, ...kept }
  }
  if (before.sealed_url === null) {
    yield* checkShape(format, before.url)
    return { format, chat_id, ...(yield* keptAddress(ports, before.url, format)) }
  }
  if (isChat(format) && format !== before.format) {
    const message = "An address is of one service: give that of the other one with its format"
    return yield* invalid([{ pointer: "/url", code: "required", message }])
  }
  if (changes.url !== undefined && !(yield* isReadable(ports, before.sealed_url))) {
    const message = "The key of the address that is kept is lost: give the address again"
    return yield* invalid([{ pointer: "/url", code: "unreadable", message }])
  }
  return { format, chat_id, url: before.url, sealed_url: before.sealed_url }
})
