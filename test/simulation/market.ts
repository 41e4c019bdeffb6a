/**
 * Candles that all processes are told as time passes, each over a feed of its own that may be cut.
 */
import {
  type MarketData,
  type MarketUpdate,
  MarketDataError,
  SourceUnavailable
} from "@candlewick/core"
import { type CandleColumns, makeColumns, makeRandom, sliceColumns } from "@candlewick/core/kernel"
import { Effect, Option, Stream } from "effect"
import type { BotHistory } from "./botHistory.ts"
import type { LiveHistory } from "./live/liveHistory.ts"
import type { Lane, Simulator } from "./seededScheduler.ts"
import { symbols } from "./strategies.ts"

/** When the candles of a history begin, and by which clock they come. */
export interface CandleTimes {
  readonly firstMs: number
  readonly candleMs: number
  readonly timeframe: "1h" | "1m"
  readonly clock: "live" | "replay"
}

/** A recording, of which the next candle comes after a moment. */
const recorded: CandleTimes = {
  firstMs: Date.UTC(2024, 0, 1),
  candleMs: 3_600_000,
  timeframe: "1h",
  clock: "replay"
}

/** A market whose candles come as they close, by the clock that all are to have. */
const liveFrom = (firstMs: number): CandleTimes => ({
  firstMs,
  candleMs: 60_000,
  timeframe: "1m",
  clock: "live"
})

/** A walk with gaps on a coarse tick. */
const walk = (seed: string, count: number, { candleMs, firstMs }: CandleTimes): CandleColumns => {
  const random = makeRandom(seed)
  const columns = makeColumns(count)
  let close = 100
  const tick = (value: number) => Math.max(0.5, Math.round(value * 10) / 10)
  for (let index = 0; index < count; index++) {
    const open = tick(close * (random.next() < 0.05 ? 1 + 0.05 * random.normal() : 1))
    const end = tick(open * (1 + 0.02 * random.normal()))
    const reach = Math.abs(0.01 * random.normal())
    columns.time[index] = firstMs + index * candleMs
    columns.open[index] = open
    columns.close[index] = end
    columns.high[index] = tick(Math.max(open, end) * (1 + reach))
    columns.low[index] = Math.min(open, end, tick(Math.min(open, end) * (1 - reach)))
    columns.volume[index] = 1000
    close = end
  }
  return columns
}

/** The line by which a process hears of candles. */
interface Feed {
  /** Counts the cuts: a stream of before a cut fails. */
  cuts: number
  isCut: boolean
  /** How much later than others it hears of a candle. */
  lagMs: number
  /** How many candles it was told. */
  told: number
  /** When it first heard of each candle, at the earliest that its own clock ever called that. */
  readonly heardAtMs: Map<number, number>
  waiting: Array<() => void>
}

const wakeAll = ({ waiting }: Feed): void => {
  for (const wake of waiting.splice(0)) wake()
}

/** The candles of all symbols, and how many of them were told. */
export class Market {
  readonly #simulator: Simulator
  readonly series: ReadonlyMap<string, CandleColumns>
  readonly count: number
  readonly times: CandleTimes
  told = 0
  readonly #feeds = new Map<Lane, Feed>()

  constructor(
    simulator: Simulator,
    series: ReadonlyMap<string, CandleColumns>,
    count: number,
    times: CandleTimes
  ) {
    this.#simulator = simulator
    this.series = series
    this.count = count
    this.times = times
  }

  /** Tells one more candle of each symbol. */
  tell(): void {
    if (this.told > this.count) return
    const told = ++this.told
    for (const [lane, feed] of this.#feeds) {
      this.#simulator.after(feed.lagMs, lane, () => {
        feed.told = Math.max(feed.told, told)
        wakeAll(feed)
      })
    }
  }

  /** Whether all was told, and that it was all. */
  get isOver(): boolean {
    return this.told > this.count
  }

  /** Has a process hear later of what is told from now on. */
  lag(lane: Lane, ms: number): void {
    this.#feedOf(lane).lagMs = ms
  }

  /** Has the feed of a process fail, until it is mended. */
  cut(lane: Lane): void {
    const feed = this.#feedOf(lane)
    feed.cuts++
    feed.isCut = true
    wakeAll(feed)
  }

  mend(lane: Lane): void {
    const feed = this.#feedOf(lane)
    feed.isCut = false
    feed.lagMs = 0
  }

  #feedOf(lane: Lane): Feed {
    const feed = this.#feeds.get(lane) ?? {
      cuts: 0,
      isCut: false,
      lagMs: 0,
      told: this.told,
      heardAtMs: new Map(),
      waiting: []
    }
    this.#feeds.set(lane, feed)
    return feed
  }

  #updateAt(symbols: ReadonlyArray<string>, index: number): MarketUpdate {
    const time = this.times.firstMs + index * this.times.candleMs
    const candles = symbols.map((symbol) => {
      const { close, high, low, open, volume } = this.series.get(symbol)!
      return {
        symbol,
        candle: {
          time,
          open: open[index]!,
          high: high[index]!,
          low: low[index]!,
          close: close[index]!,
          volume: volume[index]!
        }
      }
    })
    return { type: "candles", time, candles }
  }

  #noteHeard(lane: Lane, index: number): void {
    const { heardAtMs } = this.#feedOf(lane)
    if (!heardAtMs.has(index)) heardAtMs.set(index, this.#simulator.nowMs + lane.skewMs)
  }

  /**
   * How old a candle was when a process first heard of it, from its opening and by the process's
   * own clock; null where it has not. A clock that was set back since counts.
   */
  ageWhenHeard(lane: Lane, time: number): number | null {
    const { candleMs, firstMs } = this.times
    const heardAtMs = this.#feedOf(lane).heardAtMs.get((time - firstMs) / candleMs)
    if (heardAtMs === undefined) return null
    return Math.min(heardAtMs, this.#simulator.nowMs + lane.skewMs) - time
  }

  /** Waits until the market tells something, or a feed is cut. */
  #news(lane: Lane): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const { waiting } = this.#feedOf(lane)
      const wake = (): void => lane.enqueue(() => resume(Effect.void))
      waiting.push(wake)
      return Effect.sync(() => {
        const at = waiting.indexOf(wake)
        if (at >= 0) waiting.splice(at, 1)
      })
    })
  }

  /** The port as a process has it. */
  connect(lane: Lane): MarketData["Service"] {
    const down = new MarketDataError({
      reason: new SourceUnavailable({ cause: "the feed is cut" })
    })
    const { candleMs, clock, firstMs } = this.times
    return {
      clock,
      history: ({ symbol, until }) =>
        Effect.suspend(() => {
          if (this.#feedOf(lane).isCut) return Effect.fail(down)
          const count = Math.floor((until - firstMs) / candleMs) + 1
          const known = Math.min(this.told, this.count)
          return Effect.succeed(sliceColumns(this.series.get(symbol)!, 0, Math.min(count, known)))
        }),
      candles: ({ after, symbols }) => {
        const first = after === null ? 0 : Math.round((after - firstMs) / candleMs) + 1
        const { cuts } = this.#feedOf(lane)
        const next = (
          index: number
        ): Effect.Effect<
          readonly [ReadonlyArray<MarketUpdate>, Option.Option<number>],
          MarketDataError
        > =>
          Effect.suspend(() => {
            const feed = this.#feedOf(lane)
            if (feed.isCut || feed.cuts !== cuts) return Effect.fail(down)
            if (index < Math.min(feed.told, this.count)) {
              this.#noteHeard(lane, index)
              return Effect.succeed([[this.#updateAt(symbols, index)], Option.some(index + 1)])
            }
            if (clock === "replay" && feed.told > this.count && index === this.count) {
              return Effect.succeed([[{ type: "end" }], Option.some(index + 1)])
            }
            return Effect.andThen(this.#news(lane), next(index))
          })
        return Stream.paginate(first, next)
      }
    }
  }
}

/** The market of a history: a recording, or one whose candles begin with the history. */
export const openMarket = (
  simulator: Simulator,
  history: Pick<BotHistory, "candleCount" | "seed"> & Pick<LiveHistory, "clock">
): Market => {
  const { candleCount, clock, seed } = history
  const times = clock === "live" ? liveFrom(simulator.nowMs) : recorded
  const series = new Map(
    symbols.map((symbol) => [symbol, walk(`${seed} ${symbol}`, candleCount, times)])
  )
  return new Market(simulator, series, candleCount, times)
}
