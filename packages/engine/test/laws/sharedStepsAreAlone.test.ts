/**
 * Steps that compute their indicators together decide as each of them does alone, to the bit. It
 * makes no difference which is ahead, which stops and starts, and which candles were replaced
 * meanwhile.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { indexAt, sliceColumns } from "../../src/kernel/columns.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { Random } from "../../src/kernel/random.ts"
import { defaultValues } from "../../src/language/searchSpace.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { makeMarketStep } from "../../src/plan/codeSignals.ts"
import { SharedWindows } from "../../src/plan/codeWindow.ts"
import { decodeStrategy } from "../../src/plan/decodeStrategy.ts"
import { SeriesTracks } from "../../src/plan/SeriesTracks.ts"
import { tapeLength } from "../../src/plan/SharedNode.ts"
import type { SignalStep } from "../../src/plan/signalStep.ts"
import { above, ema, price, sma, strategy } from "../../src/research/index.ts"
import { randomWalk, withGap } from "../../src/testing/randomCandles.ts"
import { atLeast, draws } from "../../../../test/draws.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { slotsReader } from "./ladderSlots.ts"
import { withOther } from "./readOthers.ts"

const [own, other] = ["ETH/USDT", "BTC/USDT"]
const noCode = new Map<string, never>()

/** Both markets as they are before or after an import. */
type Revision = ReadonlyMap<string, CandleColumns>

/** The same candles, some of which were replaced. */
const revise = (random: Random, columns: CandleColumns): CandleColumns => {
  const revised = withGap(columns, random.integer(0, columns.length - 10), random.integer(0, 5))
  const close = revised.close.slice()
  for (let at = random.integer(0, close.length); at < close.length; at += 7) close[at]! += 1
  return { ...revised, close }
}

/** A bot in both forms: alone, and with the others. */
class Follower {
  readonly #definition: StrategyDefinition
  readonly #tracks: SeriesTracks
  readonly #read
  #revision: Revision
  #alone: SignalStep
  #shared: SignalStep
  #time: number
  decidedCount = 0

  constructor(definition: StrategyDefinition, tracks: SeriesTracks, revision: Revision) {
    this.#definition = definition
    this.#tracks = tracks
    this.#revision = revision
    this.#read = slotsReader(definition, defaultValues(definition))
    this.#time = -1
    this.#alone = this.#make(null)
    this.#shared = this.#make(tracks)
    this.#shared.join(this.#seen())
  }

  #make(tracks: SeriesTracks | null): SignalStep {
    const values = defaultValues(this.#definition)
    const windows = new SharedWindows([own, other])
    return makeMarketStep(this.#definition, values, own, noCode, windows, tracks)
  }

  #seen(): ReadonlyMap<string, CandleColumns> {
    return new Map(
      [...this.#revision].map(([symbol, columns]) => [
        symbol,
        sliceColumns(columns, 0, indexAt(columns, this.#time + 1))
      ])
    )
  }

  /** Shows candles of the other market up to a time. */
  #seeOthers(step: SignalStep, after: number, until: number): void {
    if (step.others.length === 0) return
    const columns = this.#revision.get(other)!
    for (let at = indexAt(columns, after + 1); at < columns.length; at++) {
      if (columns.time[at]! > until) break
      step.seeOther(other, candleAt(columns, at))
    }
  }

  /** Goes on with the candles of another revision. */
  follow(revision: Revision): void {
    this.#revision = revision
  }

  /** Ends, and begins again from what the revision of now says of the past. */
  restart(cursor: number): void {
    this.#shared.leave()
    this.#time = cursor
    this.#alone = this.#make(null)
    this.#shared = this.#make(this.#tracks)
    const columns = this.#revision.get(own)!
    for (const step of [this.#alone, this.#shared]) {
      if (!step.remembers) continue
      let before = -1
      for (let at = 0; at < indexAt(columns, cursor + 1); at++) {
        const time = columns.time[at]!
        this.#seeOthers(step, before, time)
        step.see(candleAt(columns, at))
        before = time
      }
      this.#seeOthers(step, before, cursor)
    }
    this.#shared.join(this.#seen())
  }

  /** Takes so many candles, at each of which both forms must say the same. */
  advance(count: number, where: string): void {
    const columns = this.#revision.get(own)!
    for (let nth = 0; nth < count; nth++) {
      const at = indexAt(columns, this.#time + 1)
      if (at >= columns.length) return
      const candle = candleAt(columns, at)
      const said = [this.#alone, this.#shared].map((step) => {
        this.#seeOthers(step, this.#time, candle.time)
        const decision = step.next(candle)
        return { ...decision, slots: step.ladder === null ? [] : this.#read(step.ladder) }
      })
      assert.deepStrictEqual(said[1], said[0], `${where}, candle ${at}`)
      this.#time = candle.time
      const { signal } = said[0]!
      if (signal.enterLong || signal.enterShort) this.decidedCount++
    }
  }

  get time(): number {
    return this.#time
  }

  leave(): void {
    this.#shared.leave()
  }
}

/** Strategies of one timeframe, some of which read the other market. */
const drawDefinitions = (random: Random): ReadonlyArray<StrategyDefinition> => {
  const timeframe = random.pick(["15m", "1h"] as const)
  return Array.from({ length: 3 }, () => {
    const drawn = drawStrategy(random.next, { timeframe })
    if (random.next() < 0.6) return drawn
    const moved = withOther(random, { ...drawn, symbols: [own, other] }, other)
    return Result.getOrThrow(decodeStrategy(moved))
  })
}

describe("steps that share what they compute", () => {
  it("decide as each of them alone, in any order, over restarts and replaced candles", () => {
    const tally = { decided: 0, forks: 0, nodes: 0, alone: 0 }
    for (const { random, seed } of draws("shared steps", 120)) {
      const definitions = drawDefinitions(random)
      const { timeframe } = definitions[0]!
      const count = random.pick([60, 400])
      const first: Revision = new Map(
        [own, other].map((symbol) => [symbol, drawCandles(random, timeframe, count)])
      )
      const second: Revision = new Map(
        [...first].map(([symbol, columns]) => [symbol, revise(random, columns)])
      )
      const tracks = new SeriesTracks()
      const bots = Array.from(
        { length: 6 },
        () => new Follower(random.pick(definitions), tracks, first)
      )
      for (let turn = 0; turn < 80; turn++) {
        const bot = random.pick(bots)
        const act = random.next()
        if (act < 0.05) bot.follow(random.pick([first, second]))
        else if (act < 0.12) bot.restart(random.pick(bots).time)
        else bot.advance(random.pick([1, 1, 3, 40, tapeLength + 1]), `${seed}, turn ${turn}`)
        tally.forks = Math.max(tally.forks, tracks.counts.tracks)
      }
      tally.decided += bots.reduce((sum, { decidedCount }) => sum + decidedCount, 0)
      for (const bot of bots) bot.leave()
      assert.deepStrictEqual(tracks.counts, { tracks: 0, followers: 0, nodes: 0 }, seed)
    }
    assert.isAbove(tally.decided, atLeast(5_000))
    assert.isAbove(tally.forks, 1, "candles that differ are followed apart")
  })

  const columns = randomWalk("shared", { count: 300 })
  const definition = strategy({
    symbols: [own],
    timeframe: "1h",
    long: { enter: above(price.close, ema(50)), exit: above(sma(20), price.close) }
  })
  const step = (tracks: SeriesTracks, rules: StrategyDefinition, seen: CandleColumns) => {
    const made = makeMarketStep(rules, {}, own, noCode, new SharedWindows([own]), tracks)
    made.join(new Map([[own, seen]]))
    return made
  }

  it("computes equal nodes once, and none that nobody reads any more", () => {
    const tracks = new SeriesTracks()
    const seen = sliceColumns(columns, 0, 100)
    const first = step(tracks, definition, seen)
    const { nodes } = tracks.counts
    const second = step(tracks, definition, seen)
    assert.deepStrictEqual(tracks.counts, { tracks: 1, followers: 2, nodes })
    // Of the other average only the average is new, with its output and what compares it.
    const third = step(
      tracks,
      { ...definition, long: { enter: above(price.close, ema(10)) } },
      sliceColumns(columns, 0, 100)
    )
    assert.deepStrictEqual(tracks.counts, { tracks: 1, followers: 3, nodes: nodes + 3 })
    for (const one of [first, second]) one.leave()
    assert.deepStrictEqual(tracks.counts, { tracks: 1, followers: 1, nodes: 4 })
    third.leave()
    assert.deepStrictEqual(tracks.counts, { tracks: 0, followers: 0, nodes: 0 })
  })

  it("joins one who comes to others a little behind them, and leaves one far behind alone", () => {
    const tracks = new SeriesTracks()
    const ahead = step(tracks, definition, sliceColumns(columns, 0, 20))
    for (let at = 20; at < 299; at++) ahead.next(candleAt(columns, at))
    const behind = step(tracks, definition, sliceColumns(columns, 0, 200))
    assert.strictEqual(tracks.counts.tracks, 1)
    const farBehind = step(tracks, definition, sliceColumns(columns, 0, 10))
    assert.strictEqual(tracks.counts.tracks, 2)
    for (const one of [ahead, behind, farBehind]) one.leave()
  })

  it("follows candles that were replaced apart from those before", () => {
    const tracks = new SeriesTracks()
    const [one, two] = [0, 1].map(() => step(tracks, definition, sliceColumns(columns, 0, 50)))
    one!.next(candleAt(columns, 50))
    two!.next({ ...candleAt(columns, 50), close: columns.close[50]! + 1e-9 })
    assert.strictEqual(tracks.counts.tracks, 2)
    const close = columns.close.map((value, at) => (at === 10 ? value + 1 : value))
    const replaced = { ...columns, close }
    const three = step(tracks, definition, sliceColumns(replaced, 0, 51))
    assert.strictEqual(tracks.counts.tracks, 3)
    const four = step(
      tracks,
      definition,
      sliceColumns({ ...columns, close: columns.close.slice() }, 0, 51)
    )
    assert.strictEqual(tracks.counts.tracks, 3)
    for (const each of [one!, two!, three, four]) each.leave()
  })
})
