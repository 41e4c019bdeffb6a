/**
 * The life cycle of a webhook endpoint, as its deliveries and its owner move it.
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
