/**
 * The values that the code of a strategy is shown at each candle.
 */
import { refuse } from "../language/Fault.ts"
import { notAmong } from "../language/notAmong.ts"
import { isObject } from "../language/isObject.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import type { BookView } from "../kernel/accountView.ts"
import type { CodeView } from "../kernel/codeView.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import type { CodeContext, CodeMarket, CodeRules } from "../language/CodeRules.ts"
import { type MarketSetting, makeCodeMarket, type MovingMarket } from "./codeMarket.ts"
import type { CodeColumns, CodeWindow } from "./codeWindow.ts"
import { askingCode } from "./codeError.ts"
import { describeValue } from "../language/withGiven.ts"

const readColumns = (
  rules: CodeRules,
  values: ParameterValues,
  candles: CandleColumns
): CodeColumns => {
  const columns = new Map<string, ArrayLike<number>>()
  if (rules.indicators === undefined) return columns
  const found: unknown = rules.indicators(candles, values)
  if (!isObject(found)) {
    return refuse("/indicators", "wrong_type", "indicators must give an object of columns by name")
  }
  for (const [name, column] of Object.entries(found)) {
    const pointer = `/indicators/${name}`
    if (!Array.isArray(column) && !ArrayBuffer.isView(column)) {
      return refuse(pointer, "wrong_type", `${name} must be an array of numbers`)
    }
    const numbers = column as unknown as ArrayLike<number>
    if (numbers.length !== candles.length) {
      const message = `${name} has ${numbers.length} values for ${candles.length} candles`
      return refuse(pointer, "wrong_length", message)
    }
    // Text would compare as a number, or as none, and no one would notice.
    const wrong =
      column instanceof Float64Array
        ? -1
        : Array.prototype.findIndex.call(numbers, (value) => typeof value !== "number")
    if (wrong !== -1) {
      const got = describeValue(numbers[wrong])
      const message = `Expected a number, or NaN for none, got ${got}`
      return refuse(`${pointer}/${wrong}`, "wrong_type", message)
    }
    columns.set(name, numbers)
  }
  return columns
}

/**
 * The indicators of code; throws where one has not one number for each candle. An error of the code
 * goes on, and is known as one.
 */
export const codeColumns = (
  rules: CodeRules,
  values: ParameterValues,
  candles: CandleColumns
): CodeColumns => askingCode(() => readColumns(rules, values, candles))

/** The context of code; it follows the candles as it is moved. */
export interface MovingContext {
  readonly context: CodeContext
  readonly move: (
    candles: CandleColumns,
    columns: CodeColumns,
    index: number,
    book?: BookView,
    view?: CodeView
  ) => void
}

/** The candles of the markets of a run, as code reads them. */
export interface CodeMarkets {
  /** All of them, in the order of the account. */
  readonly symbols: ReadonlyArray<string>
  /** The window of a market at its last candle that opened at this time or before it. */
  readonly windowAt: (symbol: string, time: number) => CodeWindow<CodeColumns>
}

/** The context of one market, which lets code look back so many candles. */
export const makeCodeContext = (
  symbol: string,
  values: ParameterValues,
  setting: MarketSetting,
  markets: CodeMarkets
): MovingContext => {
  const { symbols } = markets
  const own = makeCodeMarket(symbol, symbols.indexOf(symbol), setting)
  const others = new Map<string, MovingMarket>()
  let time = Number.NaN
  let view: CodeView | undefined
  const account = (): CodeView => {
    if (view !== undefined) return view
    throw new RangeError("the host of this strategy shows it no account")
  }
  const readMarket = (name: string): CodeMarket => {
    if (name === symbol) return context
    const at = symbols.indexOf(name)
    if (at === -1) {
      const message = notAmong(`market ${describeValue(name)} of this run`, symbols)
      return refuse("/market", "unknown_symbol", message)
    }
    const other = others.get(name) ?? makeCodeMarket(name, at, setting)
    others.set(name, other)
    const { candles, computed, index } = markets.windowAt(name, time)
    other.move(candles, computed, index, view?.book(at), view)
    return other.market
  }
  const context: CodeContext = {
    symbol,
    parameters: values,
    get position() {
      return own.market.position
    },
    get lots() {
      return own.market.lots
    },
    get orders() {
      return own.market.orders
    },
    get cash() {
      return account().cash
    },
    get equity() {
      return account().equity
    },
    candle: own.market.candle,
    value: own.market.value,
    market: readMarket
  }
  return {
    context,
    move: (candles, columns, index, book, shown) => {
      time = candles.time[index]!
      view = shown
      own.move(candles, columns, index, book, shown)
    }
  }
}
