/**
 * Rotates an endpoint's secret and activates the new one, by the rows of `SecretMachine`.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option } from "effect"
import { toTimestamp } from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import { invalid, problem } from "../../domain/Problem.ts"
import {
  SecretMachine,
  type SecretState,
  secretStateOf,
  serviceSecretIn
} from "../../domain/SecretMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { SecretRotation } from "../../domain/WebhookEndpoint.ts"
import { transactOnce } from "../transactOnce.ts"
import { findWebhook, toView, type WebhookPorts } from "./views.ts"

const commandsOfCallers = ["rotate", "activate"] as const

/** The commands that a caller can give in a state. */
const allowedIn = (state: SecretState): ReadonlyArray<string> =>
  commandsOfCallers.filter((command) => StateTable.accepts(SecretMachine, state, command))

/**
 * Makes a new secret; the old one signs beside it until the overlap ends, unless its key is lost.
 * Its earlier failures hold an endpoint back no more.
 */
export const rotateSecret = Effect.fn("WebhookEndpoints.rotateSecret")(function* (
  ports: WebhookPorts,
  accountId: string,
  id: string,
  rotation: SecretRotation
) {
  const { box, endpoints, transactor, transport } = ports
  const secret = yield* rotation.secret === undefined
    ? transport.makeSecret
    : transport.checkSecret(rotation.secret)
  const nowMs = yield* Clock.currentTimeMillis
  const overlapSeconds = rotation.overlap_seconds ?? Limits.webhookSecretOverlapSeconds
  const overlapUntil = overlapSeconds === 0 ? null : toTimestamp(nowMs + overlapSeconds * 1000)
  const sealed = yield* box.seal(secret)
  const now = toTimestamp(nowMs)
  const rotated = yield* transactOnce(
    transactor,
    "rotate",
    Effect.gen(function* () {
      const endpoint = yield* findWebhook(ports, accountId, id)
      const state = secretStateOf(endpoint, nowMs)
      const isOverlapOpen = StateTable.accepts(SecretMachine, state, "expire")
      // A secret that someone else knows must stop, also during an overlap.
      if (overlapUntil !== null && isOverlapOpen) {
        return yield* problem(
          "invalid_transition",
          `Two secrets sign until ${endpoint.previous_secret_expires_at}; a third would cut off ` +
            "receivers that still have the first. Use overlap_seconds 0 to end both.",
          { current_state: state, allowed: allowedIn(state) }
        )
      }
      // Null where its key is lost.
      const current = yield* Effect.catchDefect(box.open(endpoint.secrets[0]), () =>
        Effect.succeed(null)
      )
      // With no overlap it ends one that is open: the secret before stops at once.
      if (current === secret && !(overlapUntil === null && isOverlapOpen)) {
        const message = "This secret signs already; send another one"
        return yield* invalid([{ pointer: "/secret", code: "unchanged", message }])
      }
      const expiresAt = current === null ? null : overlapUntil
      const next = StateTable.move(SecretMachine, state, expiresAt === null ? "replace" : "rotate")
      const kept = yield* endpoints.update({
        ...endpoint,
        secrets: expiresAt === null ? [sealed] : [sealed, endpoint.secrets[0]],
        secret_hint: secret.slice(-4),
        previous_secret_expires_at: expiresAt,
        service_secret: serviceSecretIn[next],
        updated_at: now
      })
      yield* endpoints.keepHealth({ ...kept, held_until: null, repaired_at: now })
      return { secret, previous_expires_at: expiresAt }
    })
  )
  yield* transport.wake
  return rotated
})

/** Signs `X-Service-Signature` with the new secret from now on. */
export const activateSecret = Effect.fn("WebhookEndpoints.activateSecret")(function* (
  ports: WebhookPorts,
  accountId: string,
  id: string
) {
  const { endpoints, transactor } = ports
  const nowMs = yield* Clock.currentTimeMillis
  return yield* transactOnce(
    transactor,
    "activate",
    Effect.gen(function* () {
      const endpoint = yield* findWebhook(ports, accountId, id)
      const state = secretStateOf(endpoint, nowMs)
      // A caller may ask at any time: a refusal is an answer, and no defect.
      const next = StateTable.moveIfLegal(SecretMachine, state, "activate")
      if (Option.isNone(next)) {
        return yield* problem("invalid_transition", "No new secret waits to be activated.", {
          current_state: state,
          allowed: allowedIn(state)
        })
      }
      const activated = { ...endpoint, service_secret: serviceSecretIn[next.value] }
      const kept = yield* endpoints.update({ ...activated, updated_at: toTimestamp(nowMs) })
      return toView(kept, nowMs)
    })
  )
})
