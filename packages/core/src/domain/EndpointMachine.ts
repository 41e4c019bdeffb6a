/**
 * The life cycle of a webhook endpoint.
 *
 * - `active`: the endpoint gets its events.
 * - `failing`: it gets its events, and its last deliveries failed. One accepted delivery makes it
 *   active.
 * - `disabled`: it gets no events. Its owner disabled it, its receiver asked for that, or it failed
 *   for days. Only its owner enables it.
 *
 * Deliveries report `accepted`, `falter` and `give_up`; the owner commands `enable` and `disable`.
 * An event without a row changes nothing: deliveries end late, and an owner may repeat a command.
 *
 * The machine never pauses an endpoint. The sender's breaker does that.
 *
 * **Example** (An endpoint that comes back)
 *
 * ```ts
 * import { EndpointMachine, StateTable } from "@candlewick/core"
 *
 * console.log(StateTable.move(EndpointMachine, "failing", "accepted"))
 * console.log(StateTable.eventsFrom(EndpointMachine, "disabled"))
 * ```
 *
 * ```text output
 * active
 * [ 'enable' ]
 * ```
 *
 * @since 0.1.0
 */
import * as StateTable from "./StateTable.ts"

/** The moves of an endpoint. @category tables @since 0.1.0 */
export const EndpointMachine = StateTable.make("endpoint", "active", [
  { from: "active", on: "falter", to: "failing" },
  { from: "active", on: "give_up", to: "disabled" },
  { from: "active", on: "disable", to: "disabled" },
  { from: "failing", on: "accepted", to: "active" },
  { from: "failing", on: "give_up", to: "disabled" },
  { from: "failing", on: "disable", to: "disabled" },
  { from: "failing", on: "enable", to: "active" },
  { from: "disabled", on: "enable", to: "active" }
])

/** A state of an endpoint. @category models @since 0.1.0 */
export type EndpointStatus = (typeof EndpointMachine)["initial"]
