/**
 * Strategies of other software as code, with the sizes of that software. It fixes them at the fill,
 * the simulator at the close before, so the code gets the price of the fill beforehand.
 */
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { SideSign } from "../../src/kernel/fill.ts"
import { bollingerColumn } from "../../src/kernel/indicators/bollinger.ts"
import { emaColumn } from "../../src/kernel/indicators/ema.ts"
import { rsiColumn } from "../../src/kernel/indicators/rsi.ts"
import { smaColumn } from "../../src/kernel/indicators/sma.ts"
import {
  type CodeContext,
  type CodedStrategy,
  type CodeDecision,
  define
} from "../../src/research/index.ts"
import type { Parameter } from "../../src/language/Parameter.ts"
import type { SourceEngine } from "../kernel/orders/sourceEngine.ts"
import {
  slidingAverage,
  type SourceParameters,
  weeklyAverage
} from "../kernel/orders/sourceStrategies.ts"
import { makePurse } from "./sourcePurse.ts"
import type { Frame } from "./sourceRules.ts"

/** The wish at a close: to close the position, and to enter, or neither. */
interface Wish {
  readonly leaves?: boolean
  readonly enters?: SideSign
}

type Value = CodeContext["value"]

interface Coded {
  readonly indicators: (
    candles: CandleColumns,
    parameters: SourceParameters
  ) => Readonly<Record<string, Float64Array | undefined>>
  readonly wish: (
    held: SideSign | 0,
    value: Value,
    context: CodeContext,
    parameters: SourceParameters,
    index: number
  ) => Wish
}

const cross = (average: typeof smaColumn): Coded => ({
  indicators: ({ close }, { fast, slow }) => ({
    fast: average([close], [Number(fast)])[0],
    slow: average([close], [Number(slow)])[0]
  }),
  wish: (held, value, _context, { mode }) => {
    const before = value("fast", 1) - value("slow", 1)
    const now = value("fast") - value("slow")
    const side = before < 0 && now > 0 ? 1 : before > 0 && now < 0 ? -1 : 0
    if (side === 0) return {}
    if (mode === "both") return { leaves: true, enters: side }
    if (side !== (mode === "long" ? 1 : -1)) return { leaves: true }
    return held === 0 ? { enters: side } : {}
  }
})

const coded: Readonly<Record<string, Coded>> = {
  SmaCross: cross(slidingAverage),
  Exclusive: cross(slidingAverage),
  EmaCross: cross(emaColumn),
  RsiMR: {
    indicators: ({ close }, { n }) => ({ rsi: rsiColumn([close], [Number(n)])[0] }),
    wish: (held, value, _context, { lo, hi, mode }) => {
      const [isLow, isHigh] = [value("rsi") < Number(lo), value("rsi") > Number(hi)]
      if (mode === "long") {
        if (held === 0) return isLow ? { enters: 1 } : {}
        return { leaves: isHigh }
      }
      if (isLow && held <= 0) return { leaves: true, enters: 1 }
      return isHigh && held >= 0 ? { leaves: true, enters: -1 } : {}
    }
  },
  BollBreak: {
    indicators: ({ close }, { n, k }) => {
      const [middle, upper, lower] = bollingerColumn([close], [Number(n), Number(k)])
      return { middle, upper, lower }
    },
    wish: (held, value, { candle }, { mode }) => {
      const { close } = candle()
      if (held !== 0) return { leaves: (close - value("middle")) * held < 0 }
      if (close > value("upper")) return { enters: 1 }
      return mode === "both" && close < value("lower") ? { enters: -1 } : {}
    }
  },
  BracketEveryN: {
    indicators: () => ({}),
    wish: (held, _value, _context, { every, side }, index) =>
      index > 0 && index % Number(every) === 0 && held === 0 ? { enters: side === 1 ? 1 : -1 } : {}
  },
  TimeExit: {
    indicators: ({ close }, { n }) => ({ average: smaColumn([close], [Number(n)])[0] }),
    wish: (_held, value, { candle, position }, { hold }) => {
      if (position !== null) return { leaves: position.heldCount >= Number(hold) }
      const wasBelow = candle(1).close < value("average", 1)
      return wasBelow && candle().close > value("average") ? { enters: 1 } : {}
    }
  },
  WeeklyTF: {
    indicators: (candles, { n }) => ({ average: weeklyAverage(candles, Number(n)) }),
    wish: (held, value, { candle }) => {
      const above = candle().close - value("average")
      return held === 0 && above > 0 ? { enters: 1 } : { leaves: held !== 0 && above < 0 }
    }
  }
}

/** Whether a strategy can be said in code: it can't move levels, nor leave in parts. */
export const isCodable = (name: string): boolean => Object.hasOwn(coded, name)

const levelsOf = (side: SideSign, price: number, { sl_pct, tp_pct }: SourceParameters) => ({
  stop: typeof sl_pct === "number" ? price * (1 - side * sl_pct) : null,
  target: typeof tp_pct === "number" ? price * (1 + side * tp_pct) : null
})

const priceLevel = (value: number) => ({ kind: "price", value }) as const

/** The subject of a case. */
export interface SourceCase {
  readonly name: string
  readonly settings: SourceParameters
  readonly engine: SourceEngine
}

/**
 * A strategy of a case in code, for these candles only: it knows the open of the next one, which it
 * sizes by. Parameters are those of a grid.
 */
export const sourceCode = (
  frame: Frame,
  { name, settings, engine }: SourceCase,
  candles: CandleColumns,
  parameters: Readonly<Record<string, Parameter>> = {}
): CodedStrategy => {
  const { indicators, wish } = coded[name]!
  const indexOf = new Map(Array.from(candles.time, (time, index) => [time, index]))
  let purse = makePurse(candles, engine)
  let last = -1
  return define({
    ...frame,
    name: "of_other_software",
    parameters,
    lookback: candles.length,
    indicators: (shown, values) => indicators(shown, { ...settings, ...values }),
    onCandle: (context): CodeDecision | null => {
      const chosen = { ...settings, ...context.parameters }
      const { close, time } = context.candle()
      const index = indexOf.get(time)!
      // A sweep runs one set after the other.
      if (index <= last) purse = makePurse(candles, engine)
      const { position } = context
      last = index
      purse.see(index, position)
      const held = position === null ? 0 : position.direction === "long" ? 1 : -1
      const { enters, leaves = false } = wish(held, context.value, context, chosen, index)
      if (enters === undefined) {
        purse.expect({ leaves: leaves && held !== 0, entry: null })
        return leaves ? { exitLong: held === 1, exitShort: held === -1 } : null
      }
      const levels = levelsOf(enters, close, chosen)
      const isLeaving = leaves && held !== 0
      const quantity =
        typeof chosen["units"] === "number" ? chosen["units"] : purse.sizeAt(index, isLeaving)
      purse.expect({ leaves: isLeaving, entry: { side: enters, quantity, ...levels } })
      return {
        enterLong: enters === 1,
        enterShort: enters === -1,
        exitLong: isLeaving && held === 1,
        exitShort: isLeaving && held === -1,
        exits: {
          ...(levels.stop !== null && { stopLoss: priceLevel(levels.stop) }),
          ...(levels.target !== null && { takeProfit: priceLevel(levels.target) })
        },
        sizing: { type: "fixed_quantity", quantity }
      }
    }
  })
}
