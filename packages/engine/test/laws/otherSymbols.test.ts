import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { checkRead } from "../../src/language/checkRead.ts"
import { describeStrategy } from "../../src/language/describeStrategy.ts"
import { defaultValues } from "../../src/language/searchSpace.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { Random } from "../../src/kernel/random.ts"
import { decodeStrategy } from "../../src/plan/decodeStrategy.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { toSignalColumns } from "../../src/plan/signalColumns.ts"
import { makeSignalStep } from "../../src/plan/signalStep.ts"
import { backtest } from "../../src/research/backtest.ts"
import { above, ofSymbol, price, sma, strategy } from "../../src/research/index.ts"
import { randomWalk, withGap } from "../../src/testing/randomCandles.ts"
import { atLeast, draws } from "../../../../test/draws.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { slotsReader } from "./ladderSlots.ts"
import { withOther } from "./readOthers.ts"

const strategyCount = 250
const [own, other] = ["ETH/USDT", "BTC/USDT"]

/** Both markets, each with candles that the other has not. */
const drawMarkets = (random: Random, definition: StrategyDefinition) =>
  [own, other].map((symbol) => {
    const whole = drawCandles(random, definition.timeframe, 200)
    const first = random.integer(0, 180)
    return [symbol, withGap(whole, first, random.integer(0, 20))] as const
  })

/** The step form, shown the other market's candles up to each own one. */
const follow = (definition: StrategyDefinition, own: CandleColumns, others: CandleColumns) => {
  const values = defaultValues(definition)
  const step = makeSignalStep(definition, values)
  const readSlots = slotsReader(definition, values)
  let next = 0
  return Array.from({ length: own.length }, (_, at) => {
    for (; next < others.length && others.time[next]! <= own.time[at]!; next += 1) {
      for (const symbol of step.others) step.seeOther(symbol, candleAt(others, next))
    }
    const said = step.next(candleAt(own, at))
    return { ...said, slots: step.ladder === null ? [] : readSlots(step.ladder) }
  })
}

describe("a rule that reads another market", () => {
  it("says the same of every candle as columns and as steps, whatever candles are missing", () => {
    let readCount = 0
    let enteringCount = 0
    let slotCount = 0
    for (const { random, seed } of draws("other symbols", strategyCount)) {
      const drawn = drawStrategy(random.next)
      const moved = withOther(random, { ...drawn, symbols: [own, other] }, other)
      const decoded = decodeStrategy(moved)
      assert.isTrue(Result.isSuccess(decoded), seed)
      if (!Result.isSuccess(decoded)) continue
      const definition = decoded.success
      const markets = drawMarkets(random, definition)
      const columns = markets[0]![1]
      const cache = makeColumnCache(columns, { others: new Map(markets) })
      const whole = toSignalColumns(definition, defaultValues(definition), cache)
      if (makeSignalStep(definition, defaultValues(definition)).others.length > 0) readCount++
      const { enterLong, exitLong, enterShort, exitShort } = whole.signals
      const readSlots = slotsReader(definition, defaultValues(definition))
      let enters = false
      for (const [at, { levels, signal, slots }] of follow(
        definition,
        columns,
        markets[1]![1]
      ).entries()) {
        const where = `${seed}, candle ${at}`
        assert.strictEqual(signal.enterLong, enterLong?.[at] === 1, where)
        assert.strictEqual(signal.exitLong, exitLong?.[at] === 1, where)
        assert.strictEqual(signal.enterShort, enterShort?.[at] === 1, where)
        assert.strictEqual(signal.exitShort, exitShort?.[at] === 1, where)
        assert.deepStrictEqual(levels, whole.levelsAt(at), where)
        if (whole.ladder !== undefined) {
          const { rule, series } = whole.ladder
          const ofColumns = readSlots({
            rule: (slot) => rule(slot, at),
            series: (slot) => series(slot, at)
          })
          assert.deepStrictEqual(slots, ofColumns, where)
          slotCount += slots.length
        }
        enters ||= signal.enterLong || signal.enterShort
      }
      if (enters) enteringCount++
    }
    assert.isAbove(readCount, atLeast(strategyCount / 3))
    assert.isAbove(enteringCount, atLeast(strategyCount / 4))
    assert.isAbove(slotCount, atLeast(strategyCount * 100))
  })

  const leader = randomWalk("leader", { count: 300 })
  const follower = randomWalk("follower", { count: 300, price: 20 })
  const following = strategy({
    symbols: [own, other],
    trades: [own],
    timeframe: "1h",
    long: {
      enter: above(ofSymbol(other, price.close), ofSymbol(other, sma(20))),
      exit: above(ofSymbol(other, sma(20)), ofSymbol(other, price.close))
    }
  })

  it("trades one market by the average of another, which is not traded", () => {
    const { fills } = backtest({ [own]: follower, [other]: leader }, following)
    assert.isAbove(fills.length, 10)
    assert.deepStrictEqual([...new Set(fills.map(({ market }) => market))], [0])
    // The first close above the average is filled at the next open of the market that is traded.
    let first = 19
    const averageAt = (at: number) =>
      leader.close.subarray(at - 19, at + 1).reduce((a, b) => a + b) / 20
    while (leader.close[first]! <= averageAt(first)) first += 1
    assert.strictEqual(fills[0]!.time, follower.time[first + 1])
    assert.strictEqual(
      describeStrategy(following).slice(0, 2).join(" "),
      `Trades ${own} on 1h candles, and reads ${other}. Enters long when the close of ${other} is above the SMA(20) of ${other}.`
    )
  })

  it("has candles of every market that it reads, and a market that it trades", () => {
    const [missing] = checkRead(following, [own], "/symbols")
    assert.strictEqual(missing?.message, `A rule reads ${other}, which is not among the symbols`)
    const [untraded] = checkRead(following, [other], "/symbols")
    assert.strictEqual(
      untraded?.message,
      `The strategy trades ${own}, none of which is among the symbols`
    )
    assert.deepStrictEqual(checkRead(following, [own, other], "/symbols"), [])
    assert.throws(
      () => toSignalColumns(following, {}, follower),
      RangeError,
      `A rule reads ${other}, of which there are no candles`
    )
  })

  const faultsOf = (definition: unknown) =>
    Result.match(decodeStrategy(definition), {
      onSuccess: () => [],
      onFailure: (faults) => faults.map(({ code, pointer }) => `${pointer} ${code}`)
    })

  it("names a symbol of the strategy, outside of longer candles", () => {
    const close = { type: "price", field: "close" }
    const definition = (left: unknown, more = {}) => ({
      format: 1,
      symbols: [own, other],
      timeframe: "1h",
      parameters: {},
      long: { enter: { type: "above", left, right: close } },
      ...more
    })
    const read = (symbol: string, of: unknown = close) => ({ type: "symbol", symbol, of })
    const onDays = (of: unknown) => ({ type: "timeframe", timeframe: "1d", of })
    assert.deepStrictEqual(faultsOf(definition(read(other, onDays(close)))), [])
    assert.deepStrictEqual(faultsOf(definition(read("SOL/USDT"))), [
      "/long/enter/left/symbol unknown_symbol"
    ])
    assert.deepStrictEqual(faultsOf(definition(onDays(read(other)))), [
      "/long/enter/left/of not_allowed"
    ])
    assert.deepStrictEqual(faultsOf(definition(read(other, read(own)))), [
      "/long/enter/left/of not_allowed"
    ])
    assert.deepStrictEqual(faultsOf(definition(close, { trades: ["SOL/USDT"] })), [
      "/trades/0 unknown_symbol"
    ])
    assert.deepStrictEqual(faultsOf(definition(close, { trades: [own, own] })), [
      "/trades/1 duplicate"
    ])
  })
})
