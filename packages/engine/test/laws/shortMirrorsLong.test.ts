/**
 * A short mirrors a long: a market turned upside down, price for price, is traded the other way
 * round with the same results.
 *
 * It ranges over the simulator with drawn signals, exits and orders. It also ranges over the
 * simulator and the fast path, as WebAssembly and as JavaScript. It draws rules, series and exits
 * that have a mirror image (`mirroredStrategy.ts` lists the others). Costs, fractions and what
 * equity can't pay are left out.
 */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { EngineRoundTrips } from "../../src/fast/Run.ts"
import { runWithRoundTrips } from "../../src/fast/runMany.ts"
import { checkStrategy } from "../../src/language/checkStrategy.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import {
  type CandleColumns,
  columnNames,
  copyColumns,
  makeColumns
} from "../../src/kernel/columns.ts"
import type { TradingPlan } from "../../src/kernel/decide.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import type { SignalColumns } from "../../src/kernel/signalCursors.ts"
import { simulate } from "../../src/kernel/simulate.ts"
import { nodeTypesIn } from "../../src/testing/nodeTypes.ts"
import { drawCandles } from "./drawnCandles.ts"
import { MirroredGenerator, top } from "./mirroredStrategy.ts"
import { openMarket, type SignalledInput, simulationInput } from "./simulated.ts"
import { atLeast, drawCount, draws } from "../../../../test/draws.ts"

/** Prices are between these, and so are their images. */
const [priceMin, priceMax] = [56, 200]

/** All prices are on this tick, so that nothing is rounded. */
const tick = 1 / 64

/** Candles of rules are on a coarser one: prices tie, and averages of a few are on the finer. */
const coarse = 1 / 4

/** So much that no order is ever cut to what can be paid, nor anything liquidated. */
const capital = 2 ** 20

const free: MarketSpec = {
  ...openMarket,
  tick: 0,
  lot: 0,
  minNotional: 0,
  makerRate: 0,
  takerRate: 0,
  slippageRate: 0
}

const onGrid = (columns: CandleColumns, tick: number): CandleColumns => {
  const grid = copyColumns(columns)
  for (const name of ["open", "high", "low", "close"] as const) {
    grid[name].forEach((price, at) => {
      grid[name][at] = Math.min(priceMax, Math.max(priceMin, Math.round(price / tick) * tick))
    })
  }
  return grid
}

/** The market turned upside down: each high becomes a low. */
const turnColumns = (columns: CandleColumns): CandleColumns => ({
  ...columns,
  open: columns.open.map((price) => top - price),
  high: columns.low.map((price) => top - price),
  low: columns.high.map((price) => top - price),
  close: columns.close.map((price) => top - price)
})

const turnSignals = (signals: SignalColumns): SignalColumns => ({
  enterLong: signals.enterShort,
  exitLong: signals.exitShort,
  enterShort: signals.enterLong,
  exitShort: signals.exitLong
})

const turnLevel = (level: ExitLevel | null): ExitLevel | null =>
  level?.kind === "price" ? { ...level, value: top - level.value } : level

const turnExits = (exits: AttachedExits): AttachedExits => ({
  ...exits,
  stopLoss: turnLevel(exits.stopLoss),
  takeProfit: turnLevel(exits.takeProfit)
})

const drawExits = (random: Random): AttachedExits => {
  const distance = (): ExitLevel => ({ kind: "distance", value: random.integer(16, 400) * tick })
  const level = (): ExitLevel =>
    random.next() < 0.3 ? { kind: "price", value: random.integer(60, 190) } : distance()
  return {
    stopLoss: random.pick([null, level()]),
    takeProfit: random.pick([null, level()]),
    trailingStop: random.pick([
      null,
      { distance: distance(), activation: random.pick([null, distance()]) }
    ]),
    breakEven: random.pick([null, { activation: distance(), offsetRate: 0 }])
  }
}

const drawFlags = (random: Random, length: number, rate: number): Uint8Array =>
  Uint8Array.from({ length }, () => (random.next() < rate ? 1 : 0))

const drawPlan = (random: Random): TradingPlan => ({
  entry: {
    type: random.pick(["market", "limit", "stop"]),
    // A fraction of the price is not the same upside down.
    offsetRate: 0,
    expiresAfter: random.pick([null, 1, 3])
  },
  sizing: { type: "fixed_quantity", quantity: random.pick([1, 2, 0.5]) },
  timeLimit: random.pick([null, 12]),
  positionsMax: 1,
  cooldown: random.integer(0, 3),
  cooldownAfterStop: random.integer(0, 5)
})

const turned = (input: SignalledInput): SignalledInput => ({
  ...input,
  markets: input.markets.map((market) => ({
    ...market,
    columns: turnColumns(market.columns),
    signals: turnSignals(market.signals),
    levelsAt: (index) => {
      const { long, short, volatility } = market.levelsAt(index)
      return {
        long: short === null ? null : turnExits(short),
        short: long === null ? null : turnExits(long),
        volatility
      }
    }
  }))
})

const drawInput = (seed: string): SignalledInput => {
  const random = makeRandom(seed)
  const columns = onGrid(drawCandles(random, "1h", 240), tick)
  const { length } = columns
  const exits = drawExits(random)
  const signals = {
    enterLong: drawFlags(random, length, 0.15),
    exitLong: drawFlags(random, length, 0.05),
    enterShort: drawFlags(random, length, random.pick([0, 0.1])),
    exitShort: drawFlags(random, length, 0.05)
  }
  const levels = { long: exits, short: drawExits(random), volatility: Number.NaN }
  return {
    markets: [{ columns, signals, levelsAt: () => levels, spec: free }],
    plan: drawPlan(random),
    capital,
    limits: noRiskLimits,
    fill: random.pick(["next_open", "close"]),
    endOfData: random.pick(["close", "open"])
  }
}

/** The events, the other way round where the market was turned. */
const toldFrom = ({ fills, closed, ...rest }: ReturnType<typeof simulate>, isTurned: boolean) => {
  const signed = (sign: number): number => (isTurned ? -sign : sign)
  const priced = (price: number): number => (isTurned ? top - price : price)
  return {
    fills: fills.map(({ side, price, closed: _closed, ...fill }) => ({
      ...fill,
      side: signed(side),
      price: priced(price)
    })),
    // A result is told as a fraction of the entry price as well, which is another one there.
    closed: closed.map(({ returnRate: _rate, ...one }) => ({
      ...one,
      direction: signed(one.direction),
      entryPrice: priced(one.entryPrice),
      exitPrice: priced(one.exitPrice),
      // A short that breaks even has a result of -0.
      pnl: one.pnl + 0,
      bestPathPnl: one.bestPathPnl + 0,
      worstPathPnl: one.worstPathPnl + 0
    })),
    equity: rest.equity,
    ended: rest.ended,
    ambiguousCount: rest.ambiguousCount
  }
}

/** Sums of several parts to a millionth: their prices lie between steps, and so sums are rounded. */
const toldOf = (simulation: ReturnType<typeof simulate>, isTurned: boolean) => {
  const { closed, equity, ...told } = toldFrom(simulation, isTurned)
  const rounded = (sum: number): number => Math.round(sum * 1e6) / 1e6 + 0
  return {
    ...told,
    equity: Array.from(equity, rounded),
    closed: closed.map(({ entryPrice, exitPrice, pnl, bestPathPnl, worstPathPnl, ...one }) => ({
      ...one,
      entryPrice: rounded(entryPrice),
      exitPrice: rounded(exitPrice),
      pnl: rounded(pnl),
      bestPathPnl: rounded(bestPathPnl),
      worstPathPnl: rounded(worstPathPnl)
    }))
  }
}

/** The signals of a strategy as a text, those of a turned market the other way round. */
const saidOf = (
  { markets }: SignalledInput,
  turn: (signals: SignalColumns) => SignalColumns = (signals) => signals
): string => {
  const { enterLong, exitLong, enterShort, exitShort } = turn(markets[0]!.signals)
  return [enterLong, exitLong, enterShort, exitShort].map((one) => one?.join("") ?? "").join(" ")
}

/** Leaves out the candles in which nothing moves, and those at the start that do not differ. */
const onlyMoving = (columns: CandleColumns): CandleColumns => {
  const kept: Array<number> = []
  for (let at = 0; at < columns.length; at += 1) {
    const differs = kept.length !== 1 || columns.close[at] !== columns.close[kept[0]!]
    if (columns.high[at]! > columns.low[at]! && differs) kept.push(at)
  }
  const moving = makeColumns(kept.length)
  for (const name of columnNames) moving[name].set(kept.map((at) => columns[name][at]!))
  return moving
}

/** Candles that need not be cut to the range: one price for long would leave ranges of nearly 0. */
const drawInRange = (random: Random): CandleColumns => {
  for (;;) {
    const columns = drawCandles(random, "1h", 400)
    if (Math.min(...columns.low) >= priceMin && Math.max(...columns.high) <= priceMax) {
      return columns
    }
  }
}

/** A strategy with its image, candles and what else a run is given; half of them always move. */
const drawRules = (seed: string, form: "strategy" | "laddered" = "strategy") => {
  const random = makeRandom(seed)
  const isMoving = random.next() < 0.5
  const drawn = onGrid(drawInRange(random), coarse)
  return {
    ...new MirroredGenerator(random, isMoving)[form](),
    columns: isMoving ? onlyMoving(drawn) : drawn,
    options: {
      spec: { ...free, tick },
      capital,
      fill: random.pick(["next_open", "close"] as const),
      endOfData: random.pick(["close", "open"] as const),
      webAssembly: random.next() < 0.5
    }
  }
}

/** The trades of a run on the fast path, null with the reason where it takes the plain one. */
const runFast = (
  columns: CandleColumns,
  definition: StrategyDefinition,
  options: ReturnType<typeof drawRules>["options"]
) => {
  const { figures, plain, trades } = runWithRoundTrips(
    makeColumnCache(columns),
    [{ definition, values: {} }],
    { ...options, returns: "candle", periodsPerYear: 365 }
  )
  return { figures, reason: plain[0]?.reason, trades: trades[0]! }
}

const tradesFrom = (trades: EngineRoundTrips | null, isTurned: boolean) =>
  trades && {
    ...trades,
    entryPrice: trades.entryPrice.map((price) => (isTurned ? top - price : price)),
    exitPrice: trades.exitPrice.map((price) => (isTurned ? top - price : price)),
    quantity: trades.quantity.map((quantity) => (isTurned ? -quantity : quantity))
  }

/** How much the runs must hold to prove something: about four fifths of what they do hold. */
const floors = {
  trading: 370,
  bothWays: 80,
  closed: 8_000,
  protective: 6_000,
  fast: 370,
  fastTrades: 6_800
}

/** The parts of the language, each of which some runs that trade must have. */
const mirroredKinds = [
  ..."price constant add sub mul min max abs shift highest lowest mean percentile".split(" "),
  ..."timeframe above below crosses_above crosses_below between rising falling".split(" "),
  ..."true_for all any not hours atr level limit stop".split(" "),
  ...MirroredGenerator.indicatorNames
]

describe("a short mirrors a long", () => {
  it("trades a market turned upside down the other way round, with the same results", () => {
    const seen = { fills: 0, stops: 0, targets: 0, expired: 0, ambiguous: 0 }
    for (const { number, seed } of draws("mirrored", 500)) {
      const input = drawInput(seed)
      const straight = simulate(input)
      const { fills, closed, ended, ambiguousCount } = straight
      const mirrored = toldFrom(simulate(turned(input)), true)
      assert.deepStrictEqual(mirrored, toldFrom(straight, false), `run ${number}`)
      seen.fills += fills.length
      seen.stops += closed.filter(({ exitReason }) => /stop|even/.test(exitReason)).length
      seen.targets += closed.filter(({ exitReason }) => exitReason === "take_profit").length
      seen.expired += ended.length
      seen.ambiguous += ambiguousCount
    }
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, atLeast(10), what)
  })

  it("is itself again, to the bit, when it is turned twice", () => {
    for (const { seed } of draws("mirrored", 100)) {
      const input = drawInput(seed)
      const twice = turned(turned(input))
      assert.deepStrictEqual(twice.markets[0]!.columns, input.markets[0]!.columns)
      assert.deepStrictEqual(simulate(twice), simulate(input))
    }
  })

  it("does so by the rules, series and exits of the language, on both paths", () => {
    const seen = { trading: 0, bothWays: 0, closed: 0, protective: 0, fast: 0, fastTrades: 0 }
    const kinds = new Map<string, number>()
    for (const { number, seed } of draws("mirrored rules", 600)) {
      const { columns, options, plain, turned: image } = drawRules(seed)
      const where = JSON.stringify({ number, plain })
      assert.deepStrictEqual([...checkStrategy(plain), ...checkStrategy(image)], [], where)
      const upsideDown = turnColumns(columns)
      const { spec, webAssembly: _fast, ...changes } = options
      const straight = simulate(simulationInput(plain, [columns], changes, spec))
      const mirrored = simulate(simulationInput(image, [upsideDown], changes, spec))
      assert.deepStrictEqual(toldFrom(mirrored, true), toldFrom(straight, false), where)
      const fast = runFast(columns, plain, options)
      const fastImage = runFast(upsideDown, image, options)
      assert.strictEqual(fastImage.reason, fast.reason, where)
      assert.deepStrictEqual(
        tradesFrom(fastImage.trades, true),
        tradesFrom(fast.trades, false),
        where
      )
      assert.deepStrictEqual(fastImage.figures, fast.figures, where)
      const { closed } = straight
      const isStop = ({ exitReason }: (typeof closed)[number]) => /stop|even|take/.test(exitReason)
      seen.closed += closed.length
      seen.protective += closed.filter(isStop).length
      if (closed.length > 0) {
        seen.trading += 1
        for (const kind of nodeTypesIn(plain)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      }
      if (new Set(closed.map(({ direction }) => direction)).size === 2) seen.bothWays += 1
      if (fast.trades !== null) {
        seen.fast += 1
        seen.fastTrades += fast.trades.entryIndex.length
      }
    }
    for (const [what, least] of Object.entries(floors)) {
      assert.isAtLeast(seen[what as keyof typeof floors], atLeast(least), what)
    }
    const missed = mirroredKinds.filter((kind) => (kinds.get(kind) ?? 0) < atLeast(10))
    assert.deepStrictEqual(missed, [])
  })

  it("does so by the parts of ladders", () => {
    const seen = { trading: 0, reduced: 0, added: 0, overlapping: 0 }
    let tied = 0
    for (const { number, seed } of draws("mirrored ladders", 400)) {
      const { columns, options, plain, turned: image } = drawRules(seed, "laddered")
      const where = JSON.stringify({ number, plain })
      assert.deepStrictEqual([...checkStrategy(plain), ...checkStrategy(image)], [], where)
      const { spec, webAssembly: _fast, ...changes } = options
      const straight = simulationInput(plain, [columns], changes, spec)
      const mirrored = simulationInput(image, [turnColumns(columns)], changes, spec)
      const isSame = saidOf(straight) === saidOf(mirrored, turnSignals)
      // Rounding breaks ties of deviations, and then the rules themselves say something else.
      if (!isSame) {
        tied += 1
        continue
      }
      const told = toldOf(simulate(straight), false)
      assert.deepStrictEqual(toldOf(simulate(mirrored), true), told, where)
      const { fills } = told
      if (fills.length > 0) seen.trading += 1
      if (fills.some(({ effect }) => effect === "reduce")) seen.reduced += 1
      if (fills.some(({ orderId }) => orderId.includes(".more"))) seen.added += 1
      if (plain.overlap === true && told.closed.length > 1) seen.overlapping += 1
    }
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, atLeast(20), what)
    assert.isAtMost(tied, Math.max(2, drawCount(400) / 50))
  })
})
