import { dayMs } from "../../../src/kernel/calendar.ts"
import type { CandleColumns } from "../../../src/kernel/columns.ts"
import { bollingerColumn } from "../../../src/kernel/indicators/bollinger.ts"
import { donchianColumn } from "../../../src/kernel/indicators/donchian.ts"
import { emaColumn } from "../../../src/kernel/indicators/ema.ts"
import { rsiColumn } from "../../../src/kernel/indicators/rsi.ts"
import { smaColumn } from "../../../src/kernel/indicators/sma.ts"
import {
  type CodeParameters,
  type CodeStrategy,
  defineStrategy
} from "../../../src/kernel/orders/defineStrategy.ts"
import type { OrderContext } from "../../../src/kernel/orders/orderContext.ts"
import { allIn } from "./sourceEngine.ts"

/** The parameters of a case; null is none. */
export type SourceParameters = Readonly<Record<string, number | string | null>>

type Context<K extends string> = OrderContext<CodeParameters, K>

const shift = (column: ArrayLike<number>, count: number): Float64Array =>
  Float64Array.from(column, (_, index) =>
    index < count ? Number.NaN : (column[index - count] ?? Number.NaN)
  )

/** 1 where the fast average passes the slow one upwards, -1 downwards, else 0. */
const crossing = ({ value }: Context<"fast" | "slow">): 1 | -1 | 0 => {
  const before = value("fast", 1) - value("slow", 1)
  const now = value("fast") - value("slow")
  return before < 0 && now > 0 ? 1 : before > 0 && now < 0 ? -1 : 0
}

/** The direction of what is held, or 0. */
const held = (context: Context<never>): number =>
  Math.sign(context.trades()[0]?.position.quantity ?? 0)

/** The numbers among the parameters; what is null has none. */
const numbersOf = (parameters: SourceParameters) => {
  const has = (name: string): boolean => typeof parameters[name] === "number"
  const get = (name: string): number => Number(parameters[name])
  const size = () => (has("units") ? { quantity: get("units") } : { fraction: allIn })
  /** Stop and target at fractions of a price. */
  const levels = (side: number, price: number) => ({
    ...(has("sl_pct") ? { stopLoss: price * (1 - side * get("sl_pct")) } : {}),
    ...(has("tp_pct") ? { takeProfit: price * (1 + side * get("tp_pct")) } : {})
  })
  return { get, size, levels, mode: parameters["mode"] ?? "both" }
}

type Build = (parameters: SourceParameters) => CodeStrategy<SourceParameters, string>

/**
 * Averages with the source's rounding: the sum slides, with the rounding of what is taken off and
 * of what is added compensated apart. Where two averages are equal in truth it decides which
 * crosses.
 */
export const slidingAverage: typeof smaColumn = ([source], [period]) => {
  const count = period ?? 0
  let sum = 0
  const compensated = () => {
    let lost = 0
    return (value: number) => {
      const rest = value - lost
      const next = sum + rest
      lost = next - sum - rest
      sum = next
    }
  }
  const [add, remove] = [compensated(), compensated()]
  const column = source?.map((value, index) => {
    if (index >= count) remove(-source[index - count]!)
    add(value)
    return index < count - 1 ? Number.NaN : sum / count
  })
  return column === undefined ? [] : [column]
}

const averages =
  (column: typeof smaColumn) =>
  ({ close }: CandleColumns, { fast, slow }: SourceParameters) => ({
    fast: column([close], [Number(fast)])[0],
    slow: column([close], [Number(slow)])[0]
  })

const crossStrategy =
  (column: typeof smaColumn): Build =>
  (parameters) => {
    const { size, levels, mode } = numbersOf(parameters)
    const only = mode === "long" ? 1 : mode === "short" ? -1 : 0
    return defineStrategy({
      parameters,
      indicators: averages(column),
      onCandle: (context) => {
        const side = crossing(context)
        if (side === 0) return
        const price = context.candle().close
        const entry = { ...size(), ...levels(side, price) }
        if (only === 0) context.close()
        else if (side !== only) return context.close()
        else if (held(context) !== 0) return
        if (side === 1) context.buy(entry)
        else context.sell(entry)
      }
    })
  }

const exclusive: Build = (parameters) =>
  defineStrategy({
    parameters,
    indicators: averages(slidingAverage),
    onCandle: (context) => {
      const side = crossing(context)
      if (side === 1) context.buy({ fraction: allIn })
      if (side === -1) context.sell({ fraction: allIn })
    }
  })

const rsiReversal: Build = (parameters) => {
  const { get, size, levels, mode } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: ({ close }) => ({ rsi: rsiColumn([close], [get("n")])[0] }),
    onCandle: (context) => {
      const rsi = context.value("rsi")
      const price = context.candle().close
      const direction = held(context)
      if (mode === "long") {
        if (direction === 0 && rsi < get("lo")) context.buy({ ...size(), ...levels(1, price) })
        else if (direction !== 0 && rsi > get("hi")) context.close()
        return
      }
      if (rsi < get("lo") && direction <= 0) {
        context.close()
        context.buy({ ...size(), ...levels(1, price) })
      } else if (rsi > get("hi") && direction >= 0) {
        context.close()
        context.sell({ ...size(), ...levels(-1, price) })
      }
    }
  })
}

const bandBreak: Build = (parameters) => {
  const { get, size, mode } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: ({ close }) => {
      const [middle, upper, lower] = bollingerColumn([close], [get("n"), get("k")])
      return { middle, upper, lower }
    },
    onCandle: (context) => {
      const { close } = context.candle()
      const direction = held(context)
      const middle = context.value("middle")
      if (direction !== 0) {
        if ((close - middle) * direction < 0) context.close()
      } else if (close > context.value("upper")) context.buy(size())
      else if (mode === "both" && close < context.value("lower")) context.sell(size())
    }
  })
}

const everyNth: Build = (parameters) => {
  const { get, size, levels } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    onCandle: (context) => {
      if (context.index % get("every") !== 0 || held(context) !== 0) return
      const side = get("side")
      const entry = { ...size(), ...levels(side, context.candle().close) }
      if (side === 1) context.buy(entry)
      else context.sell(entry)
    }
  })
}

const limitPullback: Build = (parameters) => {
  const { get, size, levels } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: ({ close }) => ({ average: smaColumn([close], [get("n")])[0] }),
    onCandle: (context) => {
      context.cancel()
      const { close } = context.candle()
      if (held(context) !== 0 || !(close > context.value("average"))) return
      const limit = close * (1 - get("off"))
      context.buy({ ...size(), limit, ...levels(1, limit) })
    }
  })
}

const channelStop: Build = (parameters) => {
  const { get, size, levels } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: ({ high, low }) => {
      const [upper, , lower] = donchianColumn([high, low], [get("n")])
      return { upper, lower }
    },
    onCandle: (context) => {
      context.cancel()
      const stop = context.value("upper")
      if (held(context) !== 0 || !(context.value("lower") < stop)) return
      context.buy({ ...size(), stop, ...levels(1, stop) })
    }
  })
}

const trailByFraction: Build = (parameters) => {
  const { get, size } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: averages(slidingAverage),
    onCandle: (context) => {
      const { close } = context.candle()
      const levelOf = (side: number) => close * (1 - side * get("pct"))
      ratchet(context, levelOf)
      const side = held(context) === 0 ? crossing(context) : 0
      if (side === 1) context.buy({ ...size(), stopLoss: levelOf(1) })
      if (side === -1) context.sell({ ...size(), stopLoss: levelOf(-1) })
    }
  })
}

const ratchet = (context: Context<never>, levelOf: (side: number) => number): void => {
  for (const trade of context.trades()) {
    const side = Math.sign(trade.position.quantity)
    const level = levelOf(side)
    const before = trade.stopLoss ?? -side * Infinity
    context.setStop(side === 1 ? Math.max(before, level) : Math.min(before, level), { trade })
  }
}

/** The mean true range; before the first one that one. */
const meanTrueRange = ({ high, low, close }: CandleColumns, period: number): Float64Array => {
  const ranges = Float64Array.from({ length: close.length - 1 }, (_, before) => {
    const index = before + 1
    const last = close[before]!
    return Math.max(
      high[index]! - low[index]!,
      Math.abs(last - high[index]!),
      Math.abs(last - low[index]!)
    )
  })
  const means = smaColumn([ranges], [period])[0]!
  return Float64Array.from(close, (_, index) => means[Math.max(index, period) - 1]!)
}

const trailByRange: Build = (parameters) => {
  const { get, size } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: (candles) => ({
      ...averages(slidingAverage)(candles, parameters),
      range: meanTrueRange(candles, get("atr_n"))
    }),
    onCandle: (context) => {
      const { close } = context.candle()
      ratchet(context, (side) => close - side * get("mult") * context.value("range"))
      const side = held(context) === 0 ? crossing(context) : 0
      if (side === 1) context.buy(size())
      if (side === -1) context.sell(size())
    }
  })
}

const halfAtGain: Build = (parameters) => {
  const { get, size } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: averages(slidingAverage),
    onCandle: (context) => {
      const side = crossing(context)
      const [trade] = context.trades()
      if (trade === undefined) {
        if (side === 1) context.buy(size())
        return
      }
      if (side === -1) return context.close()
      const isWhole = trade.position.quantity === get("units")
      const isGained = context.candle().close >= trade.position.entryPrice * (1 + get("gain"))
      if (isWhole && isGained) context.close({ portion: 0.5 })
    }
  })
}

const pyramid: Build = (parameters) => {
  const { get, size } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: ({ close }) => ({
      highest: shift(donchianColumn([close, close], [get("n")])[0]!, 1),
      lowest: shift(donchianColumn([close, close], [get("m")])[2]!, 1)
    }),
    onCandle: (context) => {
      const { close } = context.candle()
      const count = context.trades().length
      if (close < context.value("lowest") && count > 0) context.close()
      else if (close > context.value("highest") && count < get("maxn")) context.buy(size())
    }
  })
}

const timeExit: Build = (parameters) => {
  const { get, size } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: ({ close }) => ({ average: smaColumn([close], [get("n")])[0] }),
    onCandle: (context) => {
      const [trade] = context.trades()
      if (trade !== undefined) {
        if (context.index - trade.position.entryIndex >= get("hold")) context.close()
        return
      }
      const wasBelow = context.candle(1).close < context.value("average", 1)
      if (wasBelow && context.candle().close > context.value("average")) context.buy(size())
    }
  })
}

/** An average of weekly closes; the week that ends on a Friday is known from that day on. */
export const weeklyAverage = ({ time, close }: CandleColumns, period: number): Float64Array => {
  const dayOf = (index: number) => Math.floor(time[index]! / dayMs)
  // Day 0 was a Thursday: weeks from Saturday to Friday.
  const weekOf = (day: number) => Math.floor((day - 2) / 7)
  const weeks: Array<{ readonly week: number; close: number }> = []
  close.forEach((price, index) => {
    const week = weekOf(dayOf(index))
    const last = weeks.at(-1)
    if (last?.week === week) last.close = price
    else weeks.push({ week, close: price })
  })
  const means = smaColumn([Float64Array.from(weeks, (one) => one.close)], [period])[0]!
  let known = 0
  return Float64Array.from(close, (_, index) => {
    // A week is known from its Friday on.
    const week = weekOf(dayOf(index) + 1) - 1
    while (known < weeks.length && weeks[known]!.week <= week) known++
    return means[known - 1] ?? Number.NaN
  })
}

const weeklyTrend: Build = (parameters) => {
  const { get } = numbersOf(parameters)
  return defineStrategy({
    parameters,
    indicators: (candles) => ({ average: weeklyAverage(candles, get("n")) }),
    onCandle: (context) => {
      const above = context.candle().close - context.value("average")
      if (held(context) === 0 && above > 0) context.buy({ fraction: allIn })
      else if (held(context) !== 0 && above < 0) context.close()
    }
  })
}

/** The strategies of the cases, by the names that these give them. */
export const sourceStrategies: ReadonlyMap<string, Build> = new Map([
  ["SmaCross", crossStrategy(slidingAverage)],
  ["EmaCross", crossStrategy(emaColumn)],
  ["Exclusive", exclusive],
  ["RsiMR", rsiReversal],
  ["BollBreak", bandBreak],
  ["BracketEveryN", everyNth],
  ["LimitPull", limitPullback],
  ["DonStop", channelStop],
  ["TrailPct", trailByFraction],
  ["TrailATR", trailByRange],
  ["Partial", halfAtGain],
  ["Pyramid", pyramid],
  ["TimeExit", timeExit],
  ["WeeklyTF", weeklyTrend]
])
