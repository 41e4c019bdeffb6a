/**
 * The commands that a bot takes in its state, with the question before each.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../api/call.ts"
import type { BotRecord } from "../api/types.ts"
import { Confirm } from "./Confirm.tsx"

type Target = Pick<
  BotRecord,
  "id" | "name" | "status" | "mode" | "trading_state" | "trading_state_reason"
>

/** A command of a bot. */
export type CommandName = "start" | "pause" | "stop" | "close" | "resume"

const titles: Readonly<Record<CommandName, string>> = {
  start: "Start",
  pause: "Pause",
  stop: "Stop",
  close: "Close positions",
  resume: "Open the risk gate"
}

const gated = new Set(["max_drawdown", "daily_loss"])

/** The commands that make sense now, the usual ones first. */
export const commandsOf = ({
  status,
  trading_state_reason
}: Target): ReadonlyArray<CommandName> => {
  const gate: ReadonlyArray<CommandName> = gated.has(trading_state_reason) ? ["resume"] : []
  switch (status) {
    case "running":
      return ["pause", "stop", "close", ...gate]
    case "paused":
      return ["start", "stop", "close", ...gate]
    case "starting":
    case "pausing":
      return ["stop"]
    case "stopping":
      return []
    default:
      return ["start", "close", ...gate]
  }
}

const give = (name: CommandName, id: string, isClosing: boolean): Promise<unknown> => {
  const params = { id }
  switch (name) {
    case "start":
      return call("bots.start", { params })
    case "pause":
      return call("bots.pause", { params })
    case "stop":
      return call("bots.stop", { params, payload: { positions: isClosing ? "close" : "keep" } })
    case "close":
      return call("bots.closePositions", { params })
    case "resume":
      return call("bots.resumeRisk", { params })
  }
}

const explained: Readonly<Record<CommandName, string>> = {
  start: "The bot follows its markets and trades by its strategy.",
  pause: "The bot opens no position; exits go on, and stops stay where they are.",
  stop: "The bot stops trading. It cancels its resting orders.",
  close: "The bot closes its positions at market.",
  resume: "The bot may open positions again after it reached its limit."
}

const Question = (props: {
  readonly bot: Target
  readonly name: CommandName
  readonly onDone: () => void
  readonly onClose: () => void
}): VNode => {
  const { bot, name, onClose, onDone } = props
  const [isClosing, setIsClosing] = useState(false)
  const isLive = bot.mode === "live"
  return (
    <Confirm
      title={`${titles[name]}: ${bot.name}`}
      operation={isLive ? `${titles[name]} with real money` : titles[name]}
      isDangerous={name === "stop" || name === "close" || isLive}
      onDo={() => give(name, bot.id, isClosing).then(onDone)}
      onClose={onClose}
    >
      <p>
        {isLive ? <strong>This bot trades live. </strong> : null}
        {explained[name]}
      </p>
      {name === "stop" ? (
        <fieldset>
          <legend>Open positions</legend>
          <label>
            <input
              type="radio"
              name="positions"
              checked={!isClosing}
              onChange={() => setIsClosing(false)}
            />{" "}
            keep them
          </label>
          <label>
            <input
              type="radio"
              name="positions"
              checked={isClosing}
              onChange={() => setIsClosing(true)}
            />{" "}
            close them at market
          </label>
        </fieldset>
      ) : null}
    </Confirm>
  )
}

/** Buttons for the commands that a bot takes now. */
export const Commands = (props: {
  readonly bot: Target
  readonly onDone: () => void
  readonly isShort?: boolean
}): VNode => {
  const { bot, isShort, onDone } = props
  const [asked, setAsked] = useState<CommandName | null>(null)
  const all = commandsOf(bot)
  const shown = isShort === true ? all.filter((name) => name !== "close") : all
  return (
    <div class="commands">
      {shown.map((name) => (
        <button
          key={name}
          type="button"
          class={name === "start" && isShort !== true ? "primary" : "plain"}
          aria-label={`${titles[name]} ${bot.name}`}
          onClick={() => setAsked(name)}
        >
          {titles[name]}
        </button>
      ))}
      {asked === null ? null : (
        <Question bot={bot} name={asked} onDone={onDone} onClose={() => setAsked(null)} />
      )}
    </div>
  )
}
