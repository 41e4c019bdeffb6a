/**
 * The life cycle of an endpoint's signing secrets.
 *
 * - `single_secret`: one secret signs.
 * - `rotating`: a new secret and the one before both sign. The one before makes
 *   `X-Service-Signature`, which carries one value.
 * - `activated`: both sign, and the new secret makes `X-Service-Signature`.
 *
 * A rotation with an overlap is `rotate`; one without an overlap is `replace`, and ends an overlap
 * too. The machine refuses `rotate` during an overlap, because a third secret would cut off
 * receivers that still have the first. It never brings a secret back.
 *
 * **Example** (A rotation that its owner ends early)
 *
 * ```ts
 * import { SecretMachine, serviceSecretIn, StateTable } from "@candlewick/core"
 *
 * const rotating = StateTable.move(SecretMachine, SecretMachine.initial, "rotate")
 * const activated = StateTable.move(SecretMachine, rotating, "activate")
 * console.log(serviceSecretIn[rotating], serviceSecretIn[activated])
 * console.log(StateTable.accepts(SecretMachine, activated, "rotate"))
 * ```
 *
 * ```text output
 * previous newest
 * false
 * ```
 *
 * @since 0.1.0
 */
import { fromTimestamp } from "@candlewick/engine"
import * as StateTable from "./StateTable.ts"

/** The moves of an endpoint's secrets. @category tables @since 0.1.0 */
export const SecretMachine = StateTable.make("secrets", "single_secret", [
  { from: "single_secret", on: "rotate", to: "rotating" },
  { from: "single_secret", on: "replace", to: "single_secret" },
  { from: "rotating", on: "activate", to: "activated" },
  { from: "rotating", on: "replace", to: "single_secret" },
  { from: "rotating", on: "expire", to: "single_secret" },
  { from: "activated", on: "activate", to: "activated" },
  { from: "activated", on: "replace", to: "single_secret" },
  { from: "activated", on: "expire", to: "single_secret" }
])

/** A state of an endpoint's secrets. @category models @since 0.1.0 */
export type SecretState = (typeof SecretMachine)["initial"]

/** The secrets that can make `X-Service-Signature`. @category tables @since 0.1.0 */
export const serviceSecrets = ["newest", "previous"] as const

/** The secret that makes `X-Service-Signature`, by state. @category tables @since 0.1.0 */
export const serviceSecretIn = {
  single_secret: "newest",
  rotating: "previous",
  activated: "newest"
} as const satisfies Record<SecretState, (typeof serviceSecrets)[number]>

/** The fields of an endpoint that say its state. */
interface SecretFields {
  readonly previous_secret_expires_at: string | null
  readonly service_secret: (typeof serviceSecrets)[number]
}

const overlapStates = { previous: "rotating", newest: "activated" } as const

/**
 * The state of an endpoint's secrets at a time. A record may still name a secret whose overlap has
 * ended: that secret signs nothing any more.
 *
 * @category tables
 * @since 0.1.0
 */
export const secretStateOf = (
  { previous_secret_expires_at: until, service_secret }: SecretFields,
  nowMs: number
): SecretState => {
  if (until === null) return SecretMachine.initial
  const state = overlapStates[service_secret]
  return fromTimestamp(until) > nowMs ? state : StateTable.move(SecretMachine, state, "expire")
}
