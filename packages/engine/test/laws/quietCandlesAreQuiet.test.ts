/**
 * Candles that a simulation passes by change nothing: where each candle is looked at, the results
 * are the same to the bit.
 *
 * With a market beside them of which code decides, all candles are looked at.
 */
import { assert, describe, it } from "@effect/vitest"
import { defaultValues } from "../../src/language/searchSpace.ts"
import { toMarketRules } from "../../src/plan/codeSignals.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import type { CandleDecision } from "../../src/kernel/decide.ts"
import { noLevels } from "../../src/kernel/decide.ts"
import type { AttachedExits } from "../../src/kernel/protection.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import type { Random } from "../../src/kernel/random.ts"
import { simulate, type Simulation, type SimulationInput } from "../../src/kernel/simulate.ts"
import { drawRuled, drawStrategy } from "./drawnStrategies.ts"
import { drawCandles } from "./drawnCandles.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { openMarket } from "./simulated.ts"
import { asCode } from "./written.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const hourMs = 3_600_000

const silence: CandleDecision = {
  signal: { enterLong: false, exitLong: false, enterShort: false, exitShort: false },
  levels: noLevels
}

const drawSpec = (random: Random): MarketSpec => ({
  ...openMarket,
  leverage: random.pick([1, 1, 1, 3]),
  feePerFill: random.pick([0, 0, 1]),
  takerRate: random.pick([0, 0.001]),
  tick: random.pick([0, 0.01]),
  ...(random.next() < 0.3 && {
    funding: { rate: 0.001, intervalMs: random.pick([1, 8, 24]) * hourMs }
  }),
  ...(random.next() < 0.1 && { volumeShare: { max: 0.05, slippageRate: 0.001 } })
})

/** Prices from a candle on are so many times as high: a short position is ruined there. */
const leaping = (columns: CandleColumns, times: number): CandleColumns => {
  const after = makeColumns(columns.length)
  for (const name of ["time", "open", "high", "low", "close", "volume"] as const) {
    const isPrice = name !== "time" && name !== "volume"
    after[name].set(columns[name].map((value, at) => (isPrice && at > 150 ? value * times : value)))
  }
  return after
}

const drawInput = (random: Random): SimulationInput => {
  const symbols = random.pick([
    ["AAA/USD"],
    ["AAA/USD"],
    ["AAA/USD", "BBB/USD"],
    ["AAA/USD", "BBB/USD", "CCC/USD"]
  ] as const)
  // Code sees its own market alone.
  const isCoded = random.next() < 0.3 && symbols.length === 1
  const options = { symbols, depth: random.pick([1, 2, 3]), readsOthers: false }
  const drawn = (isCoded ? drawRuled : drawStrategy)(random.next, options)
  const coded = isCoded ? asCode(drawn) : null
  const definition = coded?.definition ?? drawn
  const code = new Map(coded === null ? [] : [["rewritten", coded.rules]])
  const values = defaultValues(definition)
  const spec = drawSpec(random)
  const times = random.pick([1, 1, 1, 3])
  const series = symbols.map(() => leaping(drawCandles(random, drawn.timeframe, 240), times))
  const isShared = random.next() < 0.7
  const columnsOf = series.map((one) => (isShared ? { ...one, time: series[0]!.time } : one))
  const others = new Map(columnsOf.map((columns, market) => [symbols[market]!, columns]))
  const parts = columnsOf.map((columns, market) => {
    const cache = makeColumnCache(columns, { others })
    const { plan, rules } = toMarketRules(definition, values, cache, symbols[market]!, code)
    return { plan, market: { columns, spec, ...rules } }
  })
  const from = random.integer(0, 60)
  return {
    markets: parts.map(({ market }) => market),
    plan: parts[0]!.plan,
    capital: 10_000,
    limits: random.pick([
      noRiskLimits,
      { drawdownMax: 0.1, dailyLossMax: 0.01, exposureMax: 0.5, riskPerTrade: 0.01 },
      { drawdownMax: 0.3, dailyLossMax: 0.05, exposureMax: null, riskPerTrade: null }
    ]),
    fill: random.pick(["next_open", "close"] as const),
    endOfData: random.pick(["close", "open"] as const),
    from: symbols.map(() => from)
  }
}

/** The same with a market beside it that is never traded. */
const lookedAt = (input: SimulationInput): SimulationInput => {
  const [{ columns, spec }] = input.markets as readonly [SimulationInput["markets"][number]]
  const idle = { columns, spec, decide: () => silence }
  return { ...input, markets: [...input.markets, idle], from: [...input.from!, input.from![0]!] }
}

const plain = ({ fills, ...rest }: Simulation) => ({ ...rest, fills: [...fills] })

const marketPlan: SimulationInput["plan"] = {
  entry: { type: "market", offsetRate: 0, expiresAfter: null },
  sizing: { type: "equity_fraction", fraction: 0.4 },
  timeLimit: null,
  positionsMax: 2,
  cooldown: 0,
  cooldownAfterStop: 0
}

/** A target that no candle touches, which has candles looked at for it. */
const far: AttachedExits = {
  stopLoss: null,
  takeProfit: { kind: "fraction", value: 1e6 },
  trailingStop: null,
  breakEven: null
}

describe("candles that a simulation passes by", () => {
  it("change nothing of what comes out", () => {
    let filled = 0
    let gated = 0
    for (const { number, random } of draws("quiet candles", 1_500)) {
      const input = drawInput(random)
      const passed = simulate(input)
      assert.deepStrictEqual(plain(passed), plain(simulate(lookedAt(input))), `draw ${number}`)
      filled += passed.fills.length
      gated += passed.gateChanges.length
    }
    assert.isAbove(filled, atLeast(15_000), "so few fills prove little")
    assert.isAbove(gated, atLeast(500), "so few changes of the gate prove little")
  })

  it("are looked at where orders are lost, which fill no more", () => {
    let lostCount = 0
    for (const { number, random } of draws("lost orders", 600)) {
      const input = { ...drawInput(random), fill: "next_open" } as const
      const whole = simulate(input)
      const entries = whole.fills.filter(({ leg }) => leg === "entry")
      if (entries.length === 0) continue
      const told = `draw ${number}`
      const { market, orderId, time } = random.pick(entries)
      const losing = (at: number) => simulate({ ...input, lost: [{ market, orderId, time: at }] })
      const isOf = (one: { readonly market: number; readonly orderId: string }) =>
        one.market === market && one.orderId === orderId
      assert.deepStrictEqual(plain(losing(time + 1)), plain(whole), told)
      const { fills, withdrawn } = losing(time)
      assert.isTrue(withdrawn.some(isOf), told)
      const before = (all: Simulation["fills"]) => all.filter((fill) => fill.time < time)
      assert.deepStrictEqual(before(fills), before(whole.fills), told)
      assert.isFalse(
        fills.some((fill) => fill.leg === "entry" && isOf(fill)),
        told
      )
      lostCount++
    }
    assert.isAbove(lostCount, atLeast(300), "so few lost orders prove little")
  })

  it("are looked at where closes are barred, at which nothing is entered", () => {
    let barredCount = 0
    for (const { number, random } of draws("barred closes", 600)) {
      const input = { ...drawInput(random), fill: "next_open" } as const
      const whole = simulate(input)
      const entries = whole.fills.filter(({ leg }) => leg === "entry")
      if (entries.length === 0) continue
      const told = `draw ${number}`
      const { time } = random.pick(entries)
      const barring = (from: number, until: number) =>
        simulate({ ...input, barred: [{ from, until }] }).fills
      assert.deepStrictEqual(barring(time, time), whole.fills, told)
      const fills = barring(time, Number.POSITIVE_INFINITY)
      const until = (all: Simulation["fills"]) => all.filter((fill) => fill.time <= time)
      assert.deepStrictEqual(until(fills), until(whole.fills), told)
      // An entry that was ordered before, such as a line of a grid, may fill later.
      const decidedTimeOf = ({ market, orderId }: (typeof fills)[number]): number =>
        input.markets[market]!.columns.time[input.from![market]! + Number(/\d+/.exec(orderId)![0])]!
      assert.isFalse(
        fills.some((fill) => fill.leg === "entry" && decidedTimeOf(fill) >= time),
        told
      )
      assert.isTrue(
        entries.every((fill) => decidedTimeOf(fill) < fill.time),
        told
      )
      barredCount++
    }
    assert.isAbove(barredCount, atLeast(300), "so few barred closes prove little")
  })

  it("are looked at where limits change, which have an effect from then on alone", () => {
    let differing = 0
    let sharedCount = 0
    for (const { number, random } of draws("changing limits", 600)) {
      const { limits, ...input } = drawInput(random)
      const { time } = input.markets[0]!.columns
      const after = time[random.integer(70, 200)]!
      const strict = { drawdownMax: 0.02, dailyLossMax: 0.01, exposureMax: 0.2, riskPerTrade: 0.01 }
      const whole = simulate({ ...input, limits })
      const told = `draw ${number}`
      const same = simulate({ ...input, limits, limitChanges: [{ after, limits }] })
      assert.deepStrictEqual(plain(same), plain(whole), told)
      // Another market may begin before the first one.
      const first = Math.min(...input.markets.map(({ columns }) => columns.time[0]!))
      const early = [{ after: first - hourMs, limits }]
      const replaced = simulate({ ...input, limits: strict, limitChanges: early })
      assert.deepStrictEqual(plain(replaced), plain(whole), told)
      const limitChanges = [{ after, limits: strict }]
      const changed = simulate({ ...input, limits, limitChanges })
      const before = ({ fills }: Simulation) => fills.filter((fill) => fill.time <= after)
      assert.deepStrictEqual(before(changed), before(whole), told)
      sharedCount += before(whole).length
      if (changed.fills.length !== whole.fills.length) differing++
    }
    assert.isAbove(sharedCount, atLeast(3_000), "so few fills prove little")
    assert.isAbove(differing, atLeast(100), "so few changes prove little")
  })

  it("are passed by once they are known, and code is asked at each of them once", () => {
    const columns = drawCandles([...draws("quiet asks", 1)][0]!.random, "1h", 200)
    const asked: Array<number> = []
    simulate({
      markets: [
        {
          columns,
          spec: openMarket,
          decide: (index, { position }) => {
            asked.push(index)
            const enterLong = index % 20 === 0
            const exitLong = position !== null && index % 20 === 10
            return { signal: { ...silence.signal, enterLong, exitLong }, levels: noLevels }
          }
        }
      ],
      plan: marketPlan,
      capital: 10_000,
      limits: noRiskLimits,
      fill: "next_open",
      endOfData: "open",
      from: [7]
    })
    const wanted = Array.from({ length: columns.length - 7 }, (_, at) => at + 7)
    assert.deepStrictEqual(asked, wanted)
  })

  it("are passed by beside positions that are built or left in parts", () => {
    const count = 2_000
    const columns = drawCandles([...draws("quiet ladders", 1)][0]!.random, "1h", count)
    let shown = 0
    const open = new Proxy(columns.open, {
      get: (column, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) shown += 1
        return Reflect.get(column, key, column) as unknown
      }
    })
    const close = { type: "price", field: "close" } as const
    const average = { type: "sma", period: 200 } as const
    const parts = { format: 1, symbols: ["AAA/USD"], timeframe: "1h", parameters: {} } as const
    const long = {
      enter: { type: "crosses_above", left: close, right: average },
      exit: { type: "crosses_below", left: close, right: average }
    } as const
    const sizing = { type: "equity_fraction", fraction: 0.2 } as const
    const safety_orders = { count: 2, distance: 0.05, distance_factor: 1, size_factor: 1 }
    const ladders: ReadonlyArray<StrategyDefinition> = [
      { ...parts, long, targets: [{ at: { type: "fraction", value: 0.1 }, portion: 0.5 }] },
      { ...parts, long, lots: "first_in_first_out" },
      { ...parts, long, sizing, additions: [{ name: "more", in_favour: 0.05 }] },
      { ...parts, long, sizing, safety_orders },
      { ...parts, rebalance: { weight: 0.5, band: 0.05 } }
    ]
    const limited = { ...noRiskLimits, drawdownMax: 0.9, dailyLossMax: 0.9 }
    for (const [definition, limits] of ladders.flatMap((one) => [
      [one, noRiskLimits] as const,
      [one, limited] as const
    ])) {
      const { plan, rules } = toMarketRules(definition, {}, columns, "AAA/USD", new Map())
      shown = 0
      const { fills } = simulate({
        markets: [{ columns: { ...columns, open }, spec: openMarket, ...rules }],
        plan,
        capital: 10_000,
        limits,
        fill: "next_open",
        endOfData: "open",
        from: [0]
      })
      assert.isAbove(fills.length, 1)
      assert.isBelow(shown, count / 4, JSON.stringify(definition))
    }
  })

  it("do not keep a run of code that never trades from stopping", () => {
    const { random } = [...draws("quiet stops", 1)][0]!
    const columns = drawCandles(random, "1h", 2_000)
    let askedCount = 0
    const decide = () => {
      askedCount += 1
      return silence
    }
    const { isComplete } = simulate({
      markets: [{ columns, spec: openMarket, decide }],
      plan: marketPlan,
      capital: 10_000,
      limits: noRiskLimits,
      fill: "next_open",
      endOfData: "open",
      from: [0],
      shouldStop: () => askedCount > 0
    })
    assert.isFalse(isComplete)
    assert.isBelow(askedCount, 200)
  })

  it("are read a few times each, though another market ends each stretch", () => {
    const count = 2_000
    const { random } = [...draws("quiet reads", 1)][0]!
    const [calm, busy] = [drawCandles(random, "1h", count), drawCandles(random, "1h", count)]
    let reads = 0
    const high = new Proxy(calm.high, {
      get: (column, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads += 1
        return Reflect.get(column, key, column) as unknown
      }
    })
    const signalled = (columns: CandleColumns, every: number, first: number) => ({
      columns,
      spec: openMarket,
      signals: {
        enterLong: Uint8Array.from(columns.time.keys(), (at) => (at % every === first ? 1 : 0)),
        exitLong: Uint8Array.from(columns.time.keys(), (at) => (at % every === 5 ? 1 : 0)),
        enterShort: null,
        exitShort: null
      },
      levelsAt: () => ({ ...noLevels, long: far })
    })
    simulate({
      markets: [signalled({ ...calm, high, time: busy.time }, count, 8), signalled(busy, 10, 0)],
      plan: marketPlan,
      capital: 10_000,
      limits: noRiskLimits,
      fill: "next_open",
      endOfData: "open",
      from: [0, 0]
    })
    assert.isBelow(reads, 5 * count)
  })
})
