/**
 * Runs a code strategy after checking it, for callers without types.
 *
 * A fault of the input is reported with its place. The run itself is the same as that of typed
 * callers.
 *
 * @since 0.1.0
 */
import { refuse } from "../language/Fault.ts"
import { notAmong } from "../language/notAmong.ts"
import { isObject } from "../language/isObject.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import type { EntryRequest } from "../kernel/orders/codeOrders.ts"
import type { CodeParameters, CodeStrategy } from "../kernel/orders/defineStrategy.ts"
import {
  findOrderLookAhead as findUnchecked,
  type LookAhead
} from "../kernel/orders/findOrderLookAhead.ts"
import type { OrderContext } from "../kernel/orders/orderContext.ts"
import type { OrderOptions } from "../kernel/orders/orderOptions.ts"
import {
  type OrdersResult,
  simulateCodeOrders as simulateUnchecked
} from "../kernel/orders/simulateCodeOrders.ts"
import { checkValues } from "./checkColumns.ts"
import { checkNoCandles } from "./checkDefinition.ts"
import { checkRunOptions } from "./checkOptions.ts"
import { isListOf } from "./runOptions.ts"

const checkCode = (strategy: unknown): void => {
  if (!isObject(strategy)) {
    return refuse("/strategy", "wrong_type", "Expected a strategy; defineStrategy makes one")
  }
  if (typeof strategy["onCandle"] !== "function") {
    return refuse("/strategy/onCandle", "wrong_type", "onCandle must be a function")
  }
  if (!isObject(strategy["parameters"])) {
    return refuse("/strategy/parameters", "wrong_type", "parameters must be an object")
  }
  const indicators = strategy["indicators"]
  if (indicators !== undefined && typeof indicators !== "function") {
    refuse("/strategy/indicators", "wrong_type", "indicators must be a function")
  }
}

const checkIndicators = (found: unknown, { length }: CandleColumns): void => {
  if (!isObject(found)) {
    return refuse("/indicators", "wrong_type", "indicators must give an object of columns by name")
  }
  for (const [name, column] of Object.entries(found)) {
    const pointer = `/indicators/${name}`
    if (!isListOf(column, (value) => typeof value === "number")) {
      return refuse(pointer, "wrong_type", `${name} must be an array of numbers`)
    }
    const count = (column as ArrayLike<number>).length
    if (count === length) continue
    refuse(pointer, "wrong_length", `${name} has ${count} values for ${length} candles`)
  }
}

const numbers = ["quantity", "fraction", "limit", "stop", "stopLoss", "takeProfit"]

/** Throws where an entry has a field that there is none of, or no number where there must be. */
const checkEntry = (entry: unknown): void => {
  if (entry === undefined) return
  if (!isObject(entry)) return refuse("/order", "wrong_type", "An order must be an object")
  for (const [name, value] of Object.entries(entry)) {
    const pointer = `/order/${name}`
    if (name === "tag") continue
    if (!numbers.includes(name)) {
      refuse(pointer, "unknown_field", notAmong(`field ${name} of an order`, [...numbers, "tag"]))
    }
    // A number that can't be filled at is listed among the orders that ended.
    if (value === undefined || typeof value === "number") continue
    refuse(pointer, "wrong_type", `${name} of an order must be a number`)
  }
}

/** The strategy, whose calls are checked as they are made. */
const checked = <P extends CodeParameters, K extends string>(
  strategy: CodeStrategy<P, K>
): CodeStrategy<P, K> => {
  const { indicators, onCandle, parameters } = strategy
  let names: ReadonlyArray<string> = []
  const told = new WeakMap<OrderContext<P, K>, OrderContext<P, K>>()
  const guard = (context: OrderContext<P, K>): OrderContext<P, K> => {
    const value = (name: K, ago?: number): number => {
      if (names.includes(name)) return context.value(name, ago)
      return refuse("/indicators", "unknown_field", notAmong(`indicator ${name}`, names))
    }
    const entering = (place: OrderContext<P, K>["buy"]) => (entry?: EntryRequest) => {
      checkEntry(entry)
      return place(entry)
    }
    return Object.create(context, {
      value: { value },
      buy: { value: entering(context.buy) },
      sell: { value: entering(context.sell) }
    }) as OrderContext<P, K>
  }
  return {
    parameters,
    ...(indicators && {
      indicators: (candles: CandleColumns, values: P) => {
        const found = indicators.call(strategy, candles, values)
        checkIndicators(found, candles)
        names = Object.keys(found)
        return found
      }
    }),
    onCandle: (context) => {
      const known = told.get(context) ?? guard(context)
      told.set(context, known)
      onCandle.call(strategy, known)
    }
  }
}

const checkAll = (candles: CandleColumns, strategy: unknown, options: unknown): void => {
  checkRunOptions("run of code", options)
  checkNoCandles(strategy)
  checkValues(candles, "/candles")
  checkCode(strategy)
}

/**
 * Runs a code strategy over the candles of one market, as the kernel's `simulateCodeOrders` does.
 *
 * **Details**
 *
 * It is free of cost unless an option says otherwise, unlike `backtest`. Its purpose is to give the
 * trades of other software, which charges nothing by itself either. Name `takerRate`, `makerRate`
 * and `slippageRate` where its figures are to be believed.
 *
 * Throws a `Problem` where the candles, an option, the strategy or one of its orders is at fault.
 * It throws one for an unknown indicator, too.
 *
 * @category backtests
 * @since 0.1.0
 */
export const simulateOrders = <P extends CodeParameters, K extends string = never>(
  candles: CandleColumns,
  strategy: CodeStrategy<P, K>,
  options: Partial<OrderOptions> = {}
): OrdersResult => {
  checkAll(candles, strategy, options)
  return simulateUnchecked(candles, checked(strategy), options)
}

/** Runs a strategy of orders again on candles that end earlier. */
export const findInOrders = <P extends CodeParameters, K extends string = never>(
  candles: CandleColumns,
  strategy: CodeStrategy<P, K>,
  options: Partial<OrderOptions>,
  cuts: number
): ReadonlyArray<LookAhead> => {
  checkAll(candles, strategy, options)
  return findUnchecked(candles, checked(strategy), options, cuts)
}
