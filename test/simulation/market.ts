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
import type { Lane, Simulator } from "./seededScheduler.ts"

export const hourMs = 3_600_000
export const firstCandleMs = Date.UTC(2024, 0, 1)

/** A walk with gaps on a coarse tick. */
export const walk = (seed: string, count: number): CandleColumns => {
  const random = makeRandom(seed)
  const columns = makeColumns(count)
  let close = 100
  const tick = (value: number) => Math.max(0.5, Math.round(value * 10) / 10)
  for (let index = 0; index < count; index++) {
    const open = tick(close * (random.next() < 0.05 ? 1 + 0.05 * random.normal() : 1))
    const end = tick(open * (1 + 0.02 * random.normal()))
    const reach = Math.abs(0.01 * random.normal())
    columns.time[index] = firstCandleMs + index * hourMs
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
  told = 0
  readonly #feeds = new Map<Lane, Feed>()

  constructor(simulator: Simulator, series: ReadonlyMap<string, CandleColumns>, count: number) {
    this.#simulator = simulator
    this.series = series
    this.count = count
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
      waiting: []
    }
    this.#feeds.set(lane, feed)
    return feed
  }

  #updateAt(symbols: ReadonlyArray<string>, index: number): MarketUpdate {
    const time = firstCandleMs + index * hourMs
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
    return {
      clock: "replay",
      history: ({ symbol, until }) =>
        Effect.suspend(() => {
          if (this.#feedOf(lane).isCut) return Effect.fail(down)
          const count = Math.floor((until - firstCandleMs) / hourMs) + 1
          const known = Math.min(this.told, this.count)
          return Effect.succeed(sliceColumns(this.series.get(symbol)!, 0, Math.min(count, known)))
        }),
      candles: ({ after, symbols }) => {
        const first = after === null ? 0 : Math.round((after - firstCandleMs) / hourMs) + 1
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
              return Effect.succeed([[this.#updateAt(symbols, index)], Option.some(index + 1)])
            }
            if (feed.told > this.count && index === this.count) {
              return Effect.succeed([[{ type: "end" }], Option.some(index + 1)])
            }
            return Effect.andThen(this.#news(lane), next(index))
          })
        return Stream.paginate(first, next)
      }
    }
  }
}
