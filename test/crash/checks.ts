/**
 * Whether every promise was kept, nothing happened twice, and the books add up.
 */
import type { Alert, Order, Trade } from "@candlewick/core"
import { allOf, answerOf, type Call } from "./api.ts"
import type { Receiver } from "./receiver.ts"
import { repeatRemovals } from "./administer.ts"
import { checkAdministration, checkAskedAgain, checkDeleted, checkSecrets } from "./checkMore.ts"
import { checkRuns, checkRunsOnce } from "./checkRuns.ts"
import { until } from "./until.ts"
import { type Promises, repeatOpen, symbol } from "./workload.ts"

export interface Findings {
  /** Promises that were not kept. */
  readonly losses: Array<string>
  /** The records that are there twice and may be once. */
  readonly duplicates: Array<string>
  /** Books that don't add up. */
  readonly faults: Array<string>
}

const twice = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name, index) => names.indexOf(name) !== index)

/** The checks while bots and runs are under way. */
export const checkRecords = async (
  call: Call,
  kept: Promises,
  findings: Findings
): Promise<void> => {
  const { duplicates, losses } = findings
  const series = await allOf<{ symbol: string; candle_count: number }>(call, "/candles")
  const count = series.find((one) => one.symbol === symbol)?.candle_count ?? 0
  if (count < kept.candlesKept) losses.push(`candles: ${count} of ${kept.candlesKept}`)
  const strategies = await allOf<{ id: string; name: string }>(call, "/mix/strategies")
  const bots = await allOf<{ id: string; name: string; desired_status: string }>(call, "/bots")
  const webhooks = await allOf<{ id: string }>(call, "/webhooks")
  const has = (all: ReadonlyArray<{ id: string }>, id: string) => all.some((one) => one.id === id)
  for (const id of kept.strategies.keys()) {
    const isGoing = kept.isGoing(`/mix/strategies/${id}`)
    if (!isGoing && !has(strategies, id)) losses.push(`strategy ${id}`)
  }
  for (const id of kept.webhooks) if (!has(webhooks, id)) losses.push(`webhook ${id}`)
  for (const [id, { wanted }] of kept.bots) {
    if (kept.isGoing(`/bots/${id}`)) continue
    const bot = bots.find((one) => one.id === id)
    if (bot === undefined) losses.push(`bot ${id}`)
    else if (!wanted.includes(bot.desired_status)) {
      losses.push(`bot ${id} is to be ${bot.desired_status}, not ${wanted.join(" or ")}`)
    }
  }
  // Generated strategies are named by what was asked of them.
  const names = [...strategies, ...bots].map(({ name }) => name)
  const own = names.filter((name) => kept.names.has(name))
  duplicates.push(...twice(own).map((name) => `two of ${name}`))
  const all = [...strategies, ...bots, ...webhooks].map(({ id }) => id)
  await checkAdministration(call, kept, all, findings)
}

/** Orders are sent once, trades counted once, and the ledger is their sum. */
export const checkBooks = async (
  call: Call,
  id: string,
  trades: ReadonlyArray<Trade>,
  { duplicates, faults }: Findings
): Promise<void> => {
  const orders = await allOf<Order>(call, `/bots/${id}/orders`)
  duplicates.push(
    ...twice(orders.map((order) => order.client_order_id)).map((one) => `order ${one} twice`),
    ...twice(trades.map((trade) => trade.id)).map((one) => `trade ${one} twice`),
    ...twice(trades.map((trade) => `${trade.order_id} ${trade.executed_at} ${trade.amount}`)).map(
      (one) => `fill ${one} twice`
    )
  )
  for (const order of orders) {
    const filled = trades
      .filter((trade) => trade.order_id === order.id)
      .reduce((sum, { amount }) => sum + amount, 0)
    if (filled > order.quantity * (1 + 1e-9)) {
      duplicates.push(`order ${order.client_order_id} was filled ${filled} of ${order.quantity}`)
    }
    if (Math.abs(filled - order.filled_quantity) > 1e-9 * order.quantity) {
      faults.push(`order ${order.client_order_id}: ${order.filled_quantity} is not ${filled}`)
    }
  }
  const { body: performance } = await answerOf(call, "GET", `/bots/${id}/performance`)
  if (performance.trade_count !== trades.length) {
    faults.push(`bot ${id} counts ${performance.trade_count} of ${trades.length} trades`)
  }
  const { body: status } = await answerOf(call, "GET", `/bots/${id}/status`)
  const cash = trades.reduce(
    (sum, { amount, fee, price, side }) => sum + (side === "sell" ? 1 : -1) * amount * price - fee,
    10_000
  )
  if (Math.abs(cash - status.cash) > 1e-6) {
    faults.push(`bot ${id} has ${status.cash} in cash, its trades make ${cash}`)
  }
}

const toFill = (trade: Readonly<Record<string, unknown>>) =>
  ["executed_at", "side", "amount", "price", "fee", "leg"].map((name) => trade[name]).join(" ")

/** A bot that nobody told anything since its start has traded as a backtest does. */
const checkSteady = async (
  call: Call,
  id: string,
  trades: ReadonlyArray<Trade>,
  strategyId: string,
  { faults }: Findings
): Promise<void> => {
  const begun = await answerOf(call, "POST", "/mix/backtest", {
    body: { strategy_id: strategyId, end_of_data: "open", initial_capital: 10_000 },
    headers: { prefer: "wait=60" }
  })
  const { body } = await answerOf(call, "GET", `/mix/backtest/${begun.body.id}/results`)
  const wanted = body.trades.map(toFill)
  const seen = trades.map((trade) => toFill(trade))
  const at = wanted.findIndex((fill, index) => fill !== seen[index])
  if (at >= 0 || wanted.length !== seen.length) {
    faults.push(
      `bot ${id} made ${seen.length} fills and a backtest ${wanted.length}; ` +
        `the first that differs is ${at}: ${seen[at]} instead of ${wanted[at]}`
    )
  }
}

const subjectOf = (event: string, data: Readonly<Record<string, unknown>>): unknown =>
  ({
    "strategy.generated": data["strategy_id"],
    "strategy.optimized": data["optimization_id"],
    "backtest.complete": data["backtest_id"],
    "trade.executed": data["trade_id"],
    "alert.triggered": `${String(data["alert_id"])} ${String(data["occurrence"])}`
  })[event]

/** Every event has reached every endpoint, each under one id. */
const checkEvents = async (
  endpoints: ReadonlyArray<Receiver>,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  unwanted: ReadonlySet<string>,
  { duplicates, losses }: Findings
): Promise<void> => {
  for (const [index, { heard, refused }] of endpoints.entries()) {
    const missing = () => {
      const got = new Map<string, number>()
      for (const { data, event } of heard.values()) {
        const key = `${event} ${String(subjectOf(event, data))}`
        got.set(key, (got.get(key) ?? 0) + 1)
      }
      const named = [...wanted].flatMap(([event, ids]) => [...ids].map((id) => `${event} ${id}`))
      return {
        absent: named.filter((key) => !got.has(key)),
        repeated: [...got].flatMap(([key, count]) => (count > 1 ? [key] : []))
      }
    }
    await until(async () => missing().absent.length === 0, "", 300_000)
    losses.push(...missing().absent.map((key) => `endpoint ${index} never heard of ${key}`))
    duplicates.push(
      ...missing().repeated.map((key) => `endpoint ${index} heard of ${key} under two ids`)
    )
    for (const { data, event } of heard.values()) {
      const subject = String(subjectOf(event, data))
      if (unwanted.has(subject)) losses.push(`endpoint ${index} heard ${event} of ${subject}`)
    }
    if (refused() > 0) losses.push(`endpoint ${index} could not verify ${refused()} requests`)
  }
}

/** When the newest candle opened: a bot that has come to it has come to the end of them. */
export const newestCandle = async (call: Call): Promise<string> => {
  const series = await allOf<{ symbol: string; last_at: string }>(call, "/candles")
  return series.find((one) => one.symbol === symbol)!.last_at
}

/** The checks once all has come to rest. */
export const checkAll = async (
  call: Call,
  kept: Promises,
  endpoints: ReadonlyArray<Receiver>,
  findings: Findings
): Promise<number> => {
  const unanswered = await until(
    async () => {
      await repeatOpen(call, kept)
      await repeatRemovals(call, kept)
      return kept.open.size + kept.leaving.size === 0
    },
    "a request under a key was never answered",
    // A key that nothing was carried out under is free again after 150 s.
    240_000
  )
  if (unanswered !== null) findings.losses.push(unanswered)
  await checkRecords(call, kept, findings)
  await checkRunsOnce(call, kept, findings)
  const ends = await checkRuns(call, kept, findings)
  const newest = await newestCandle(call)
  for (const id of kept.bots.keys()) {
    const late = await until(
      async () => {
        const { body } = await answerOf(call, "GET", `/bots/${id}/status`)
        // A bot that was never started is as it is to be.
        const isThere = body.status === body.desired_status || body.status === "created"
        const hasAll = body.is_data_ended && body.last_candle_at === newest
        return isThere && (body.status !== "running" || hasAll)
      },
      `bot ${id} never came to what was asked of it`,
      600_000
    )
    if (late !== null) findings.losses.push(late)
  }
  const endedAs = (kind: string, wantedEnd: string) =>
    [...ends].flatMap(([id, end]) =>
      end === wantedEnd && kept.runs.get(id)!.kind === kind ? [id] : []
    )
  const wanted = new Map<string, Set<string>>([
    ["strategy.generated", new Set([...kept.announced, ...endedAs("generate", "ready")])],
    ["strategy.optimized", new Set(endedAs("optimize", "completed"))],
    ["backtest.complete", new Set(endedAs("backtest", "completed"))],
    ["trade.executed", new Set()],
    ["alert.triggered", new Set()]
  ])
  const cancelled = new Set([...ends].flatMap(([id, end]) => (end === "cancelled" ? [id] : [])))
  let tradeCount = 0
  for (const [id, { isSteady }] of kept.bots) {
    const trades = (await allOf<Trade>(call, `/bots/${id}/trades`)).toReversed()
    tradeCount += trades.length
    for (const trade of trades) wanted.get("trade.executed")!.add(trade.id)
    await checkBooks(call, id, trades, findings)
    const [strategyId] = kept.strategies.keys()
    if (isSteady) await checkSteady(call, id, trades, strategyId!, findings)
  }
  for (const { fired_count, id } of await allOf<Alert>(call, "/alerts")) {
    for (let at = 1; at <= fired_count; at++) wanted.get("alert.triggered")!.add(`${id} ${at}`)
  }
  await checkEvents(endpoints, wanted, cancelled, findings)
  await checkAskedAgain(call, kept, endpoints, findings)
  await checkDeleted(call, kept, endpoints, findings)
  await checkSecrets(call, kept, endpoints, findings)
  return tradeCount
}
