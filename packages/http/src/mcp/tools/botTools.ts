/**
 * Tools for bots and their account.
 *
 * A call that could lose money waits for the word of a person.
 *
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import type { Ask, JsonObject } from "../askApi.ts"
import { type ElicitationContext, confirmed } from "../confirm.ts"
import type { ToolRefusal } from "../ToolRefusal.ts"
import { tool, type ToolRow } from "../ToolRow.ts"
import { confirm, limit, limitDefault, optionalText, symbols, text, values } from "./parameters.ts"
import { heads } from "./strategyTools.ts"

const botId = text("The id of a bot, bot_…")

/** Goes on at once with a paper bot, and with a live one once a person has agreed. */
const ifAgreed = Effect.fnUntraced(function* (
  ask: Ask,
  question: {
    readonly tool: string
    readonly operation: string
    readonly bot_id: string
    readonly about?: JsonObject
    readonly confirm?: string | undefined
  }
): Effect.fn.Return<void, ToolRefusal, ElicitationContext> {
  const { about = {}, bot_id, confirm: code, operation, tool: name } = question
  const bot = yield* ask("bots", "get", { params: { id: bot_id } })
  if (bot["mode"] !== "live") return
  const money = `${JSON.stringify(bot["capital_allocation"])} of capital`
  yield* confirmed({
    tool: name,
    about: { bot_id, ...about },
    message: `${operation} the LIVE bot ${JSON.stringify(bot["name"])} (${bot_id}, ${money})?`,
    code
  })
})

const reading: ReadonlyArray<ToolRow> = [
  tool({
    name: "list_bots",
    title: "List bots",
    description: "Lists the account's bots, newest first; mode says whether money is at stake.",
    kind: "reads",
    parameters: Schema.Struct({ limit, status: optionalText("Such as running or stopped.") }),
    run: (ask, { limit = limitDefault, status }) =>
      Effect.map(ask("bots", "list", { query: { limit, status } }), (page) =>
        heads(page, [
          "id",
          "name",
          "status",
          "mode",
          "strategy_id",
          "symbols",
          "timeframe",
          "capital_allocation",
          "trading_state",
          "trading_state_reason"
        ])
      )
  }),
  tool({
    name: "read_bot",
    title: "Read a bot",
    description: "Shows the state of a bot and its earnings.",
    kind: "reads",
    parameters: Schema.Struct({ bot_id: botId }),
    run: Effect.fnUntraced(function* (ask: Ask, { bot_id }: { readonly bot_id: string }) {
      const params = { id: bot_id }
      const status = yield* ask("bots", "status", { params })
      const performance = yield* ask("bots", "performance", { params })
      const { equity_curve: _, ...earned } = performance
      return { status, performance: earned }
    })
  }),
  tool({
    name: "read_bot_log",
    title: "Read a bot's log",
    description: "Lists the decisions and acts of a bot, newest first.",
    kind: "reads",
    parameters: Schema.Struct({ bot_id: botId, limit }),
    run: (ask, { bot_id, limit = limitDefault }) =>
      ask("bots", "logs", { params: { id: bot_id }, query: { limit } })
  }),
  tool({
    name: "list_bot_trades",
    title: "List a bot's trades",
    description: "Lists a bot's fills, newest first.",
    kind: "reads",
    parameters: Schema.Struct({ bot_id: botId, limit }),
    run: (ask, { bot_id, limit = limitDefault }) =>
      ask("bots", "trades", { params: { id: bot_id }, query: { limit } })
  }),
  tool({
    name: "read_account",
    title: "Read the account",
    description:
      "Shows the account at one look: equity, the result of each day, exposure, alerts, and " +
      "whatever holds bots back. Paper and live stay apart.",
    kind: "reads",
    parameters: Schema.Struct({}),
    run: (ask) => ask("portfolio", "overview")
  })
]

const commanding: ReadonlyArray<ToolRow> = [
  tool({
    name: "create_paper_bot",
    title: "Create a paper bot",
    description: "Makes a bot that trades on paper. It does not start by itself.",
    kind: "writes",
    parameters: Schema.Struct({
      name: text("Its name for people."),
      strategy_id: text("The id of a strategy, str_…"),
      capital_allocation: Schema.Finite,
      symbols,
      parameters: values
    }),
    run: (ask, body) => ask("bots", "add", { body: { ...body, mode: "paper" } })
  }),
  tool({
    name: "start_bot",
    title: "Start a bot",
    description: "Starts a bot. A live bot needs the user's word.",
    kind: "writes",
    parameters: Schema.Struct({ bot_id: botId, confirm }),
    run: Effect.fnUntraced(function* (
      ask: Ask,
      given: { readonly bot_id: string; readonly confirm?: string }
    ) {
      yield* ifAgreed(ask, { ...given, tool: "start_bot", operation: "Start" })
      return yield* ask("bots", "start", { params: { id: given.bot_id } })
    })
  }),
  tool({
    name: "pause_bot",
    title: "Pause a bot",
    description: "Keeps a bot from opening positions; it keeps its positions, and its exits go on.",
    kind: "writes",
    parameters: Schema.Struct({ bot_id: botId }),
    run: (ask, { bot_id }) => ask("bots", "pause", { params: { id: bot_id } })
  }),
  tool({
    name: "stop_bot",
    title: "Stop a bot",
    description:
      "Stops a bot and keeps its positions, unless positions is close. Stopping a live bot needs " +
      "the user's word, because it may leave positions without a stop.",
    kind: "ends",
    parameters: Schema.Struct({
      bot_id: botId,
      positions: Schema.optionalKey(Schema.Literals(["keep", "close"])),
      confirm
    }),
    run: Effect.fnUntraced(function* (
      ask: Ask,
      given: {
        readonly bot_id: string
        readonly positions?: "keep" | "close"
        readonly confirm?: string
      }
    ) {
      const positions = given.positions ?? "keep"
      const operation = positions === "close" ? "Stop and close all positions of" : "Stop"
      yield* ifAgreed(ask, { ...given, tool: "stop_bot", operation, about: { positions } })
      return yield* ask("bots", "stop", { params: { id: given.bot_id }, body: { positions } })
    })
  }),
  tool({
    name: "close_positions",
    title: "Close positions",
    description: "Closes a bot's positions at market. Those of a live bot need the user's word.",
    kind: "ends",
    parameters: Schema.Struct({ bot_id: botId, confirm }),
    run: Effect.fnUntraced(function* (
      ask: Ask,
      given: { readonly bot_id: string; readonly confirm?: string }
    ) {
      yield* ifAgreed(ask, {
        ...given,
        tool: "close_positions",
        operation: "Close all positions at market of"
      })
      return yield* ask("bots", "closePositions", { params: { id: given.bot_id } })
    })
  }),
  tool({
    name: "halt_account",
    title: "Halt the account",
    description:
      "The kill switch: no bot increases its exposure any more, and resting entries are cancelled. " +
      "Exits go on. It needs no one's word, because it only makes things safer.",
    kind: "ends",
    parameters: Schema.Struct({ reason: text("Why; the account shows it.") }),
    run: (ask, body) => ask("account", "halt", { body })
  }),
  tool({
    name: "resume_account",
    title: "Resume the account",
    description: "Ends the halt of the account. It needs the user's word.",
    kind: "writes",
    parameters: Schema.Struct({ confirm }),
    run: Effect.fnUntraced(function* (ask: Ask, given: { readonly confirm?: string }) {
      yield* confirmed({
        tool: "resume_account",
        about: {},
        message: "End the halt of the account, so that its bots may enter positions again?",
        code: given.confirm
      })
      return yield* ask("account", "resume")
    })
  })
]

/** Tools for bots and their account. @category tables @since 0.1.0 */
export const botTools: ReadonlyArray<ToolRow> = [...reading, ...commanding]
