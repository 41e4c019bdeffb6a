import { assert, describe, it } from "@effect/vitest"
import type { MarketSpec } from "../../src/kernel/account.ts"
import { type CandleColumns, copyColumns } from "../../src/kernel/columns.ts"
import type { TradingPlan } from "../../src/kernel/decide.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { type SignalColumns, simulate } from "../../src/kernel/simulate.ts"
import { drawCandles } from "./drawnCandles.ts"
import { openMarket, type SignalledInput } from "./simulated.ts"

/** Prices are turned around half of this, and are all on this tick, so that nothing is rounded. */
const top = 256
const tick = 1 / 64

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

const onGrid = (columns: CandleColumns): CandleColumns => {
  const grid = copyColumns(columns)
  for (const name of ["open", "high", "low", "close"] as const) {
    grid[name].forEach((price, at) => {
      grid[name][at] = Math.min(200, Math.max(56, Math.round(price / tick) * tick))
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
  maxPositions: 1,
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
  const columns = onGrid(drawCandles(random, "1h", 240))
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

/** What happened, the other way round where the market was turned. */
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

describe("a short mirrors a long", () => {
  it("trades a market turned upside down the other way round, with the same results", () => {
    const seen = { fills: 0, stops: 0, targets: 0, expired: 0, ambiguous: 0 }
    for (let number = 0; number < 500; number += 1) {
      const input = drawInput(`mirrored ${number}`)
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
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, 10, what)
  })

  it("is itself again, to the bit, when it is turned twice", () => {
    for (let number = 0; number < 100; number += 1) {
      const input = drawInput(`mirrored ${number}`)
      const twice = turned(turned(input))
      assert.deepStrictEqual(twice.markets[0]!.columns, input.markets[0]!.columns)
      assert.deepStrictEqual(simulate(twice), simulate(input))
    }
  })
})
