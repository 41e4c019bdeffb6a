/**
 * `candlewick bots`: strategies at work on markets.
 *
 * @since 0.1.0
 */
import { BotRequest, CommandOutcome, type LogEntry } from "@candlewick/core/domain"
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { type Connection, withApi } from "../terminal/Connections.ts"
import { number, pairs, percent, say, show, showOne, table } from "../terminal/output.ts"
import {
  idArgument,
  limitFlag,
  splitList,
  parameters,
  parametersOf,
  request,
  symbolsFlag,
  textFlag,
  toggle
} from "./options.ts"

const bot = idArgument("A bot's id")

/** A process that answers for a moment runs no bot, and says so to the caller that starts one. */
const tellWhoRuns = ({ isEmbedded }: Connection) =>
  isEmbedded
    ? say("This process runs no bots: a server on the same data takes the command up.")
    : Effect.void

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("The bot's name")),
    strategy: Flag.String("strategy").pipe(Flag.withDescription("The id of its strategy")),
    capital: Flag.Finite("capital").pipe(Flag.withDescription("The capital that it may use")),
    symbols: symbolsFlag,
    set: parameters,
    start: toggle("start", "Start it at once")
  },
  (given) =>
    withApi((connection) =>
      Effect.gen(function* () {
        const payload = yield* request(BotRequest, {
          name: given.name,
          strategy_id: given.strategy,
          capital_allocation: given.capital,
          symbols: splitList(given.symbols),
          parameters: parametersOf(given.set),
          auto_start: given.start ? true : undefined
        })
        const made = yield* connection.client.bots.create({ payload })
        if (given.start) yield* tellWhoRuns(connection)
        yield* show(made, (one) =>
          pairs([
            ["id", one.id],
            ["name", one.name],
            ["status", one.status],
            ["mode", one.mode]
          ])
        )
      })
    )
).pipe(Command.withDescription("Make a bot of a strategy"))

const list = Command.make(
  "list",
  {
    limit: limitFlag,
    status: textFlag("status", "Those of this status: running, paused, stopped, …")
  },
  (given) =>
    withApi(({ client }) =>
      Effect.gen(function* () {
        const Query = Schema.Struct({
          limit: Schema.Int,
          status: Schema.optionalKey(Schema.toType(BotStatus))
        })
        const query = yield* request(Query, { limit: given.limit, status: given.status })
        yield* show(yield* client.bots.list({ query }), ({ data }) =>
          table(
            ["id", "name", "status", "trading", "symbols", "timeframe", "capital"],
            data.map((one) => [
              one.id,
              one.name,
              one.status,
              one.trading_state,
              one.symbols.join(","),
              one.timeframe,
              one.capital_allocation
            ])
          )
        )
      })
    )
).pipe(Command.withDescription("List bots, newest first"))

const BotStatus = CommandOutcome.fields.status

type Outcome = typeof CommandOutcome.Type

const showOutcome = (connection: Connection, outcome: Outcome) =>
  Effect.gen(function* () {
    yield* tellWhoRuns(connection)
    if (outcome.unprotected) yield* say("warning: a position that is kept has no stop that lasts.")
    yield* show(outcome, (one) =>
      pairs([
        ["id", one.id],
        ["status", one.status],
        ["wanted", one.desired_status],
        ["changed", one.changed],
        ["orders cancelled", one.orders_cancelled],
        ["positions kept", one.positions_kept.length],
        ["positions closing", one.positions_closing.length]
      ])
    )
  })

const start = Command.make("start", { id: bot }, (given) =>
  withApi((connection) =>
    Effect.flatMap(connection.client.bots.start({ params: given }), (outcome) =>
      showOutcome(connection, outcome)
    )
  )
).pipe(Command.withDescription("Start a bot"))

const stop = Command.make(
  "stop",
  { id: bot, close: toggle("close", "Close its positions as well") },
  (given) =>
    withApi((connection) =>
      Effect.flatMap(
        connection.client.bots.stop({
          params: { id: given.id },
          payload: { positions: given.close ? "close" : "keep" }
        }),
        (outcome) => showOutcome(connection, outcome)
      )
    )
).pipe(Command.withDescription("Stop a bot; its positions are kept unless --close says otherwise"))

const pause = Command.make("pause", { id: bot }, (given) =>
  withApi((connection) =>
    Effect.flatMap(connection.client.bots.pause({ params: given }), (outcome) =>
      showOutcome(connection, outcome)
    )
  )
).pipe(Command.withDescription("Pause a bot: it opens no position, and its exits go on"))

const close = Command.make("close", { id: bot }, (given) =>
  withApi((connection) =>
    Effect.flatMap(connection.client.bots.closePositions({ params: given }), (outcome) =>
      showOutcome(connection, outcome)
    )
  )
).pipe(Command.withDescription("Close a bot's positions at market"))

const remove = Command.make(
  "delete",
  { id: bot, keep: toggle("keep-positions", "Leave open positions as they are") },
  (given) =>
    withApi(({ client }) =>
      Effect.gen(function* () {
        const query = given.keep ? { positions: "keep" as const } : {}
        yield* client.bots.remove({ params: { id: given.id }, query })
        yield* show({ deleted: given.id }, ({ deleted }) => `deleted  ${deleted}`)
      })
    )
).pipe(Command.withDescription("Delete a bot; its books stay in the archive"))

const status = Command.make("status", { id: bot }, (given) =>
  withApi(({ client }) =>
    Effect.flatMap(client.bots.status({ params: given }), (found) =>
      show(found, (one) =>
        [
          pairs([
            ["status", one.status],
            ["trading", `${one.trading_state} (${one.trading_state_reason})`],
            ["equity", number(one.equity)],
            ["cash", number(one.cash)],
            ["today", number(one.daily_pnl)],
            ["drawdown", percent(one.drawdown)],
            ["last candle", one.last_candle_at],
            ["positions", one.open_positions.length],
            ["orders", one.open_orders.length]
          ]),
          ...one.hindrances.map((hindrance) => `held back: ${JSON.stringify(hindrance)}`)
        ].join("\n")
      )
    )
  )
).pipe(Command.withDescription("Show the present state of a bot"))

type Line = typeof LogEntry.Type

const lineText = ({ event, level, message, timestamp }: Line): string =>
  `${timestamp}  ${level.padEnd(5)}  ${event}  ${message}`

/** The lines after one, oldest first. */
const linesAfter = Effect.fnUntraced(function* (
  { client }: Connection,
  botId: string,
  seq: number,
  atMost: number
) {
  const found: Array<Line> = []
  let cursor: string | null = null
  do {
    const query: { limit: number; cursor?: string } =
      cursor === null ? { limit: atMost } : { limit: atMost, cursor }
    const page = yield* client.bots.logs({ params: { id: botId }, query })
    found.push(...page.data.filter((line) => line.seq > seq))
    cursor = seq > 0 && page.data.every((line) => line.seq > seq) ? page.next_cursor : null
  } while (cursor !== null)
  return found.toReversed()
})

const logs = Command.make(
  "logs",
  {
    id: bot,
    limit: limitFlag,
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDescription("Go on with the lines that come"),
      Flag.withDefault(false)
    )
  },
  (given) =>
    withApi((connection) =>
      Effect.gen(function* () {
        let seq = 0
        const showNew = (atMost: number) =>
          Effect.flatMap(linesAfter(connection, given.id, seq, atMost), (lines) => {
            seq = lines.at(-1)?.seq ?? seq
            return Effect.forEach(lines, (line) => showOne(line, lineText), { discard: true })
          })
        yield* showNew(given.limit)
        if (!given.follow) return
        return yield* Effect.forever(Effect.andThen(Effect.sleep("1 second"), showNew(100)))
      })
    )
).pipe(Command.withDescription("Show a bot's log, one line a JSON document with --json"))

/** `candlewick bots`. @category commands @since 0.1.0 */
export const botsCommand = Command.make("bots").pipe(
  Command.withDescription("Bots: create, list, start, stop, pause, close, delete, status, logs"),
  Command.withSubcommands([create, list, start, stop, pause, close, remove, status, logs])
)
