/**
 * A bot beside the backtest of its own period: the same rules, markets, capital and candles.
 *
 * @since 0.1.0
 */
import { fromTimestamp, timeframeMs, toTimestamp } from "@candlewick/engine"
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { causes } from "../../domain/expected/Cause.ts"
import { compareFills } from "../../domain/expected/compareFills.ts"
import type {
  Comparison,
  FillComparison,
  LackCause,
  RealizedFill
} from "../../domain/expected/Comparison.ts"
import { fromSteps } from "../../domain/expected/steps.ts"
import type { ExpectedView } from "../../domain/ExpectedView.ts"
import { Limits } from "../../domain/Limits.ts"
import type { Order, Trade } from "../../domain/Order.ts"
import { openOrderStatuses } from "../../domain/OrderMachine.ts"
import { readBareStops } from "./bareStops.ts"
import type { RunnerError } from "./botFailure.ts"
import type { BotSnapshot } from "./botSession.ts"
import { chargesOf, readCharges } from "./charges.ts"
import type { BotServices } from "./changeBot.ts"
import { toOwnId } from "./clientIds.ts"
import { runnableStrategy } from "./createBot.ts"
import { lastingOf, loadWorked, readLimits, simulateExpected, timesOf } from "./expectedBacktest.ts"
import { losingOf, lossesOf } from "./expectedLosses.ts"
import { type CooldownEnd, decisionOf, expectedBy, makeCooldownEnd } from "./expectedSide.ts"
import { type ExpectedRecords, readExpectedRecords } from "./expectedRecords.ts"
import { type HeldBackStretches, readHeldBack } from "./heldBack.ts"
import { isByCommand, otherFilledReason } from "./takenBack.ts"

const signOf = (side: Order["side"]): 1 | -1 => (side === "buy" ? 1 : -1)

/** Why an order lacks fills; one that has them all got them later than expected. */
const causeOf = ({ reason, status }: Order): LackCause => {
  if (status === "rejected") return "refusal"
  if (status === "filled" || openOrderStatuses.includes(status)) return "delay"
  return isByCommand(reason) ? "command" : "part"
}

/**
 * Whether a command had books on paper fill an order at once. By themselves, they fill an order at
 * market in a later candle than that of its decision.
 */
const isHurried = (mode: Bot["mode"], order: Order, trade: Trade): boolean =>
  mode === "paper" && order.type === "market" && trade.candle_time === order.candle_time

/** The first and the last fill of each order, and how much of it each fill has left. */
const readFills = (made: ReadonlyArray<Trade>, byId: ReadonlyMap<string, Order>) => {
  const firsts = new Map<string, number>()
  const lasts = new Map<string, number>()
  const filled = new Map<string, number>()
  const left = new Map<Trade, number>()
  for (const trade of made) {
    const { amount, candle_time: at, order_id: id } = trade
    firsts.set(id, Math.min(firsts.get(id) ?? Infinity, fromTimestamp(at)))
    lasts.set(id, Math.max(lasts.get(id) ?? 0, fromTimestamp(at)))
    filled.set(id, (filled.get(id) ?? 0) + amount)
    left.set(trade, Math.max(0, (byId.get(id)?.quantity ?? 0) - filled.get(id)!))
  }
  return { firsts, lasts, left }
}

/** The candles of decisions, by the ids of their orders. */
const makeDecisions = (bot: Bot, { epoch }: BotSnapshot, orders: ReadonlyArray<Order>) => {
  const times = new Map(orders.map((order) => [order.client_order_id, order.candle_time]))
  return (clientId: string, market: number): string | null => {
    // A stop and a target have the name of the entry that they protect.
    const at = times.get(clientId.split(":")[0]!)
    const own = toOwnId(bot, epoch, market, clientId)
    return at === undefined ? null : decisionOf(own, fromTimestamp(at))
  }
}

/** The records that the bot's own side is made of. */
type OwnRecords = Pick<ExpectedRecords, "cursor" | "lines" | "made" | "orders" | "snapshot">

/** The orders that lack fills, or got them late. */
const unfilledBy = (
  { mode, symbols }: Bot,
  orders: ReadonlyArray<Order>,
  { firsts, lasts }: ReturnType<typeof readFills>,
  decided: ReturnType<typeof makeDecisions>,
  ends: HeldBackStretches["ends"]
): Comparison["unfilled"] => {
  // An order that is filled has no line that says when it ended.
  const filledUp = ({ id, status }: Order): number | null =>
    status === "filled" ? (lasts.get(id) ?? null) : null
  const all = orders.map((order) => {
    const market = symbols.indexOf(order.symbol)
    return {
      cause: causeOf(order),
      filledTime: firsts.get(order.id) ?? null,
      overTime: ends.get(order.client_order_id) ?? filledUp(order),
      isOpen: openOrderStatuses.includes(order.status),
      decision: decided(order.client_order_id, market),
      market,
      time: fromTimestamp(order.candle_time),
      side: signOf(order.side),
      leg: order.leg
    }
  })
  // The rest of them fares on paper as the backtest's orders do.
  return mode === "paper" ? all.filter(({ cause }) => cause === "command") : all
}

/** By trade, the newest candle that was decided on before the bot heard of that fill. */
const readHeardAfter = ({ lines }: OwnRecords): ReadonlyMap<string, number> =>
  new Map(
    lines.flatMap(({ data: { heard_after: candle, trade_id: id }, event }) =>
      event === "trade.executed" && typeof id === "string" && typeof candle === "string"
        ? [[id, fromTimestamp(candle)] as const]
        : []
    )
  )

/** The bot's own side: its fills up to a candle, and the records of its orders. */
const realizedBy = (
  bot: Bot,
  records: OwnRecords,
  { commanded, coolsUntil, ends }: HeldBackStretches & { readonly coolsUntil: CooldownEnd }
): Pick<Comparison, "realized" | "unfilled"> => {
  const { cursor, made, orders, snapshot } = records
  const { mode, symbols, timeframe } = bot
  const bareStops = readBareStops(records)
  const heardAfter = readHeardAfter(records)
  const byId = new Map(orders.map((order) => [order.id, order]))
  const fills = readFills(made, byId)
  const decided = makeDecisions(bot, snapshot, orders)
  /** Why the order of a fill lacks quantity once that candle is over; null where it does not. */
  const lackOf = (order: Order | undefined, isFillingOn: boolean): LackCause | null => {
    if (order === undefined) return null
    const cause = causeOf(order)
    if (mode === "paper") return cause === "command" ? cause : null
    if (order.status !== "filled") return cause
    return isFillingOn ? "delay" : null
  }
  const realizedOf = (trade: Trade): RealizedFill => {
    const order = byId.get(trade.order_id)
    const market = symbols.indexOf(trade.symbol)
    const time = fromTimestamp(trade.candle_time)
    const first =
      order === undefined ? time : fromTimestamp(order.candle_time) + timeframeMs(timeframe)
    const { leg, position_effect: effect } = trade
    return {
      market,
      time,
      since: Math.min(time, first),
      coolsUntil: coolsUntil({ effect, leg, market, time }),
      decision: decided(trade.client_order_id, market),
      side: signOf(trade.side),
      leg,
      quantity: trade.amount,
      price: trade.price,
      fee: trade.fee,
      lack: lackOf(order, fills.lasts.get(trade.order_id)! > time),
      lackQuantity: fills.left.get(trade)!,
      isCommanded:
        commanded.has(trade.client_order_id) ||
        order?.reason === "force_exit" ||
        (order !== undefined && isHurried(mode, order, trade)),
      isUnprotected: bareStops.has(trade.client_order_id),
      isPriced: order !== undefined && order.type !== "market",
      isLate: time > first,
      isBesideOther: order?.reason === otherFilledReason,
      heardAfter: heardAfter.get(trade.id) ?? null
    }
  }
  // The backtest has no fills of a candle that has not closed yet.
  const closed = made.filter((trade) => fromTimestamp(trade.candle_time) <= (cursor ?? 0))
  return {
    realized: closed.map(realizedOf),
    unfilled: unfilledBy(bot, orders, fills, decided, ends)
  }
}

/** The stretches in which fills depend on a candle without a point of equity. */
const missedStretches = (
  times: ReadonlyArray<number>,
  worked: ReadonlySet<number>,
  since: number
) =>
  times.flatMap((time, index) =>
    time < since || worked.has(time)
      ? []
      : [{ after: times[index - 1] ?? Number.NEGATIVE_INFINITY, until: times[index + 1] ?? time }]
  )

const toView = (
  bot: Bot,
  times: ReadonlyArray<number>,
  comparison: Pick<Comparison, "expected" | "realized">,
  compared: FillComparison
): ExpectedView => {
  const { byCause, differences, expectedSteps, realizedSteps, unexplainedSteps } = compared
  const at = (time: number | null) => (time === null ? null : toTimestamp(time))
  return {
    id: bot.id,
    currency: bot.symbols[0]!.split("/")[1]!,
    since: at(times[0] ?? null),
    until: at(times.at(-1) ?? null),
    expected_result: fromSteps(expectedSteps),
    realized_result: fromSteps(realizedSteps),
    difference: fromSteps(realizedSteps - expectedSteps),
    causes: Object.fromEntries(
      causes.map((cause) => [cause, fromSteps(byCause[cause])])
    ) as ExpectedView["causes"],
    unexplained: fromSteps(unexplainedSteps),
    expected_trade_count: comparison.expected.length,
    realized_trade_count: comparison.realized.length,
    difference_count: differences.length,
    differences: differences.slice(0, Limits.expectedDifferencesMaxCount).map((one) => ({
      cause: one.cause,
      follows: one.follows,
      symbol: bot.symbols[one.market]!,
      side: one.side === 1 ? "buy" : "sell",
      leg: one.leg as Order["leg"],
      quantity: one.quantity,
      amount: fromSteps(one.steps),
      expected_at: at(one.expectedTime),
      realized_at: at(one.realizedTime)
    }))
  }
}

/** A bot beside the backtest of its own period. */
export const expectedOf = Effect.fnUntraced(function* (
  { candles, ports }: Pick<BotServices, "candles" | "ports">,
  accountId: string,
  id: string
): Effect.fn.Return<ExpectedView, RunnerError> {
  const records = yield* readExpectedRecords(ports, accountId, id)
  const { bot, cursor, lines, points, snapshot } = records
  const { definition } = yield* runnableStrategy(ports, accountId, bot)
  const hasRun = cursor !== null && cursor !== snapshot.startedAfter
  const markets = hasRun ? yield* loadWorked({ candles }, bot, snapshot, cursor) : []
  const times = timesOf(markets)
  const limits = readLimits(lines, bot.risk)
  const backtest = { bot, definition, snapshot, markets, code: ports.code, ...limits }
  const simulation = hasRun ? simulateExpected(backtest, bot.capital_allocation) : null
  const nextOf = (time: number) => times.find((one) => one > time) ?? time
  const held = readHeldBack(lines, bot.symbols, nextOf)
  const coolsUntil = makeCooldownEnd(definition, markets)
  const worked = new Set(points.map(({ time }) => fromTimestamp(time)))
  const comparison: Comparison = {
    isOnPaper: bot.mode === "paper",
    ...expectedBy(markets, simulation, coolsUntil),
    losing: [],
    ...realizedBy(bot, records, { ...held, coolsUntil }),
    lastCloses: markets.map(({ columns }) => columns.close.at(-1) ?? 0),
    missed: [
      ...missedStretches(times, worked, snapshot.thinnedUntil ?? Number.NEGATIVE_INFINITY),
      ...held.missed
    ],
    passedOver: held.passedOver,
    heldBack: held.command,
    atRest: held.atRest,
    barred: held.barred,
    resumed: held.resumed,
    charges: bot.mode === "paper" ? [] : [...chargesOf(simulation), ...readCharges(lines)],
    lasting: "everything"
  }
  const compared = compareFills(comparison)
  if (simulation === null || compared.differences.length === 0) {
    return toView(bot, times, comparison, compared)
  }
  const lasting = lastingOf(backtest, simulation)
  const lasted = compareFills({ ...comparison, lasting })
  const losses = lossesOf(markets, comparison)
  if (losses.length === 0 || lasted.differences.every(({ cause }) => cause !== null)) {
    return toView(bot, times, comparison, lasted)
  }
  const losing = losingOf(backtest, losses, coolsUntil)
  return toView(bot, times, comparison, compareFills({ ...comparison, lasting, losing }))
})
