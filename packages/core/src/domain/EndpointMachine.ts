/**
 * The life cycle of a webhook endpoint, as its deliveries and its owner move it.
 *
 * An `active` endpoint that keeps refusing is `failing`, and one accepted delivery makes it active
 * again. Candlewick gives up an endpoint that fails for days: it is `disabled`, and gets no events.
 * Only its owner enables it again. The machine pauses no endpoint: that is the work of its breaker.
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
