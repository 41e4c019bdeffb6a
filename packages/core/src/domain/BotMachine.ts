/**
 * The life cycle of a bot: the state to which a command or a fact leads from each state.
 *
 * A caller gives commands (`start`, `pause`, `stop`). The runner reports facts (`started`,
 * `settled`, `failed`).
 *
 * - At rest (`created`, `stopped`, `error`) a bot has no fibre, and its strategy may change.
 * - On its way (`starting`, `pausing`, `stopping`) its runner still has work to end.
 * - At work it is `running`, or `paused`: then it opens nothing, and its exits go on.
 *
 * The machine closes no positions and knows no risk gate: `trading_state` is another table.
 *
 * **Example** (A stop of a bot that trades)
 *
 * ```ts
 * import { BotMachine, StateTable } from "@candlewick/core"
 *
 * const stopping = StateTable.move(BotMachine, "running", "stop")
 * console.log(stopping, StateTable.move(BotMachine, stopping, "settled"))
 * ```
 *
 * ```text output
 * stopping stopped
 * ```
 *
 * @since 0.1.0
 */
import { Option } from "effect"
import * as StateTable from "./StateTable.ts"

/** The moves of a bot. @category tables @since 0.1.0 */
export const BotMachine = StateTable.make("bot", "created", [
  { from: "created", on: "start", to: "starting" },
  { from: "starting", on: "started", to: "running" },
  { from: "starting", on: "pause", to: "pausing" },
  { from: "starting", on: "stop", to: "stopping" },
  { from: "starting", on: "failed", to: "error" },
  { from: "running", on: "pause", to: "pausing" },
  { from: "running", on: "stop", to: "stopping" },
  { from: "running", on: "failed", to: "error" },
  { from: "pausing", on: "settled", to: "paused" },
  { from: "pausing", on: "stop", to: "stopping" },
  { from: "pausing", on: "failed", to: "error" },
  { from: "paused", on: "start", to: "starting" },
  { from: "paused", on: "stop", to: "stopping" },
  { from: "paused", on: "failed", to: "error" },
  { from: "stopping", on: "settled", to: "stopped" },
  { from: "stopping", on: "failed", to: "error" },
  { from: "stopped", on: "start", to: "starting" },
  { from: "error", on: "start", to: "starting" },
  { from: "error", on: "stop", to: "stopping" }
])

/** A state of a bot. @category models @since 0.1.0 */
export type BotStatus = (typeof BotMachine)["initial"]

/** The commands of a caller to a bot. @category tables @since 0.1.0 */
export const botCommands = ["start", "pause", "stop"] as const

/** The commands of a caller to a bot. @category models @since 0.1.0 */
export type BotCommand = (typeof botCommands)[number]

/**
 * The states in which a command is fulfilled already or under way.
 *
 * @category tables
 * @since 0.1.0
 */
export const fulfilledIn = {
  start: ["starting", "running"],
  pause: ["pausing", "paused"],
  stop: ["created", "stopping", "stopped"]
} as const satisfies Record<BotCommand, ReadonlyArray<BotStatus>>

/**
 * The states of a bot at rest. It has no fibre, may be deleted if it is flat, and its strategy,
 * symbols and capital may change.
 *
 * @category tables
 * @since 0.1.0
 */
export const restingStates: ReadonlyArray<BotStatus> = ["created", "stopped", "error"]

/**
 * The states in which a bot manages its positions: its exits and protective orders go on at each
 * candle. A pause that is not settled yet is among them, and so is a start after a pause. A bot on
 * its way to a stop decides nothing any more.
 *
 * @category tables
 * @since 0.1.0
 */
export const managingStates: ReadonlyArray<BotStatus> = ["starting", "running", "pausing", "paused"]

/**
 * The states in which a command is being carried out.
 *
 * @category tables
 * @since 0.1.0
 */
export const movingStates: ReadonlyArray<BotStatus> = ["starting", "pausing", "stopping"]

/**
 * The effect of a command in a state: it leads to another, changes nothing, or is refused.
 *
 * @category tables
 * @since 0.1.0
 */
export const decideCommand = (
  status: BotStatus,
  command: BotCommand
):
  | { readonly outcome: "moves"; readonly to: BotStatus }
  | { readonly outcome: "fulfilled" }
  | { readonly outcome: "refused"; readonly allowed: ReadonlyArray<BotCommand | "delete"> } => {
  if ((fulfilledIn[command] as ReadonlyArray<BotStatus>).includes(status)) {
    return { outcome: "fulfilled" }
  }
  // A caller may ask anything at any time: a refusal is an answer, and no defect.
  const to = StateTable.moveIfLegal(BotMachine, status, command)
  return Option.isSome(to)
    ? { outcome: "moves", to: to.value }
    : { outcome: "refused", allowed: allowedIn(status) }
}

/** The commands that are not refused in a state. @category tables @since 0.1.0 */
export const allowedIn = (status: BotStatus): ReadonlyArray<BotCommand | "delete"> => [
  ...botCommands.filter(
    (command) =>
      (fulfilledIn[command] as ReadonlyArray<BotStatus>).includes(status) ||
      StateTable.accepts(BotMachine, status, command)
  ),
  ...(restingStates.includes(status) ? (["delete"] as const) : [])
]
