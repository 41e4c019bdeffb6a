/**
 * Registers and changes a webhook for a caller.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option } from "effect"
import { toPointer, toTimestamp } from "@candlewick/engine"
import { EndpointMachine } from "../../domain/EndpointMachine.ts"
import { Limits } from "../../domain/Limits.ts"
import { sendingDefaults } from "../../domain/NotificationFormat.ts"
import { SecretMachine, serviceSecretIn } from "../../domain/SecretMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import { invalid, type Problem } from "../../domain/Problem.ts"
import {
  type WebhookChanges,
  type WebhookEndpoint,
  type WebhookReplacement,
  type WebhookRequest,
  type WebhookUpdated
} from "../../domain/WebhookEndpoint.ts"
import { alsoMissing } from "../../domain/webhooks/foldOutcomes.ts"
import { dayMs, hourMs } from "@candlewick/engine/kernel"
import { checkQuota } from "../accounts/checkQuota.ts"
import { allPages } from "../allPages.ts"
import { checkVersion } from "../refusals.ts"
import { transactOnce } from "../transactOnce.ts"
import { changedAddress, firstAddress, newAddressOf, refuseMasked } from "./addresses.ts"
import { findWebhook, headerMask, isReadable, toView, type WebhookPorts } from "./views.ts"

const formatDefault = "candlewick"
/** A replay that is suggested may be asked for within this time, however far back it reaches. */
const timeToAskMs = hourMs

const sealHeaders = (
  { box }: WebhookPorts,
  headers: Readonly<Record<string, string>>
): Effect.Effect<Readonly<Record<string, string>>> =>
  Effect.map(
    Effect.forEach(Object.entries(headers), ([name, value]) =>
      Effect.map(box.seal(value), (sealed) => [name.toLowerCase(), sealed] as const)
    ),
    (entries) => Object.fromEntries(entries)
  )

/**
 * The headers that take the place of those before. A masked value, as reading shows it, keeps the
 * header's value. It is refused where no value is kept, or where no key opens the value: receivers
 * would get the mask, or nothing.
 */
const replaceHeaders = Effect.fnUntraced(function* (
  ports: WebhookPorts,
  before: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
  sealed: Readonly<Record<string, string>>
): Effect.fn.Return<Readonly<Record<string, string>>, Problem> {
  const headers: Record<string, string> = { ...sealed }
  for (const [name, value] of Object.entries(given)) {
    if (value !== headerMask) continue
    const kept = before[name.toLowerCase()]
    const pointer = toPointer(["headers", name])
    if (kept === undefined) {
      const message =
        "The mask stands for a kept value, and no header of this name is kept: send the value"
      return yield* invalid([{ pointer, code: "not_allowed", message }])
    }
    if (!(yield* isReadable(ports, kept))) {
      const message = "No key opens the kept value: send the value again"
      return yield* invalid([{ pointer, code: "unreadable", message }])
    }
    headers[name.toLowerCase()] = kept
  }
  return headers
})

/** Registers an endpoint and shows its secret. */
export const registerWebhook = Effect.fn("WebhookEndpoints.register")(function* (
  ports: WebhookPorts,
  accountId: string,
  request: WebhookRequest
) {
  const { box, endpoints, ids, transactor, transport } = ports
  const format = request.format ?? formatDefault
  yield* refuseMasked(request.url)
  // Outside the transaction: the check may ask a name server.
  yield* transport.checkAddress(request.url)
  const address = yield* firstAddress(ports, request.url, format, request.chat_id)
  const usual = sendingDefaults(format)
  const given = request.headers ?? {}
  const headers = yield* replaceHeaders(ports, {}, given, yield* sealHeaders(ports, given))
  const id = yield* ids.make("webhook")
  const secret = yield* transport.makeSecret
  const nowMs = yield* Clock.currentTimeMillis
  const now = toTimestamp(nowMs)
  const endpoint: WebhookEndpoint = {
    id,
    account_id: accountId,
    ...address,
    events: request.events,
    description: request.description ?? null,
    status: EndpointMachine.initial,
    disabled_reason: null,
    disabled_at: null,
    max_concurrency: request.max_concurrency ?? usual.max_concurrency,
    rate_per_second: request.rate_per_second ?? usual.rate_per_second,
    payload: request.payload ?? "plain",
    headers,
    consecutive_failures: 0,
    last_success_at: null,
    last_failure_at: null,
    failing_since: null,
    warned_percent: 0,
    held_until: null,
    repaired_at: null,
    missed_since: null,
    secrets: [yield* box.seal(secret)],
    secret_hint: secret.slice(-4),
    previous_secret_expires_at: null,
    service_secret: serviceSecretIn[SecretMachine.initial],
    sequence: 0,
    version: 1,
    created_at: now,
    updated_at: now
  }
  return yield* transactOnce(
    transactor,
    "register",
    Effect.gen(function* () {
      yield* checkQuota(transactor, {
        accountId,
        what: "webhooks",
        max: Limits.webhooksPerAccountMax,
        count: Effect.map(
          allPages((page) => endpoints.list(accountId, page)),
          ({ length }) => length
        )
      })
      return { ...toView(yield* endpoints.insert(endpoint), nowMs), secret }
    })
  )
})

/** The changes where all is replaced: a field that is not named goes back to its default. */
export const changesOf = (replacement: WebhookReplacement): WebhookChanges => ({
  ...sendingDefaults(replacement.format ?? formatDefault),
  headers: {},
  payload: "plain",
  format: formatDefault,
  chat_id: null,
  ...replacement,
  description: replacement.description ?? null
})

/**
 * Changes an endpoint; `active` forgives its failures, `disabled` cancels its waiting deliveries.
 * After `active` or at a new address its earlier failures don't hold it back.
 */
export const updateWebhook = Effect.fn("WebhookEndpoints.update")(function* (
  ports: WebhookPorts,
  accountId: string,
  id: string,
  changes: WebhookChanges,
  version: number | undefined
) {
  const { endpoints, queue, transactor, transport } = ports
  const find = Effect.tap(findWebhook(ports, accountId, id), (endpoint) =>
    checkVersion(endpoint, version)
  )
  const url = newAddressOf(yield* find, changes)
  // Outside the transaction: the check may ask a name server.
  if (url !== null) yield* transport.checkAddress(url)
  const { chat_id: _chat, format: _format, headers, status, url: _url, ...fields } = changes
  const nowMs = yield* Clock.currentTimeMillis
  const now = toTimestamp(nowMs)
  const sealed = headers === undefined ? undefined : yield* sealHeaders(ports, headers)
  const changed = yield* transactor.transact(
    Effect.gen(function* () {
      const before = yield* find
      const replaced =
        headers === undefined || sealed === undefined
          ? {}
          : { headers: yield* replaceHeaders(ports, before.headers, headers, sealed) }
      // As its deliveries have left it: from here to the end no other process writes it.
      const address = yield* changedAddress(ports, before, changes)
      const changing = { ...before, ...fields, ...replaced, ...address, updated_at: now }
      const found = yield* endpoints.update(changing)
      const isDisabling = status === "disabled" && found.status !== "disabled"
      const isMoved = found.url !== before.url || found.sealed_url !== before.sealed_url
      const isRepaired = status === "active" || isMoved
      if (!isDisabling && !isRepaired) return toView(found, nowMs)
      const health = {
        ...found,
        ...(isRepaired && { held_until: null, repaired_at: now }),
        ...(status === "active" && forgiven(found)),
        ...(isDisabling && disabledAt(found, now))
      }
      yield* endpoints.keepHealth(health)
      const oldest = isDisabling ? yield* queue.cancelWaiting(id) : Option.none()
      const changed = alsoMissing(health, Option.getOrUndefined(oldest))
      if (changed !== health) yield* endpoints.keepHealth(changed)
      const updated: WebhookUpdated = toView(changed, nowMs)
      return status === "active" && found.disabled_at !== null
        ? { ...updated, suggested_replay: suggestedReplay(found, found.disabled_at, nowMs) }
        : updated
    })
  )
  yield* transport.wake
  return changed
})

/** A change that would send all events that a time of being disabled has kept from the endpoint. */
const suggestedReplay = (
  { missed_since }: WebhookEndpoint,
  disabledAt: string,
  nowMs: number
): NonNullable<WebhookUpdated["suggested_replay"]> => {
  const oldest = toTimestamp(nowMs - Limits.webhookReplayMaxDays * dayMs + timeToAskMs)
  const since = missed_since ?? disabledAt
  return { mode: "undelivered", since: since < oldest ? oldest : since }
}

const disabledAt = ({ status }: WebhookEndpoint, now: string) =>
  ({
    status: StateTable.move(EndpointMachine, status, "disable"),
    disabled_reason: "manual",
    disabled_at: now,
    missed_since: now
  }) as const satisfies Partial<WebhookEndpoint>

const forgiven = ({ status }: WebhookEndpoint) =>
  ({
    // An owner may enable an endpoint that is active: it forgives its failures.
    status: Option.getOrElse(
      StateTable.moveIfLegal(EndpointMachine, status, "enable"),
      () => status
    ),
    disabled_reason: null,
    disabled_at: null,
    missed_since: null,
    consecutive_failures: 0,
    failing_since: null,
    warned_percent: 0
  }) as const satisfies Partial<WebhookEndpoint>
