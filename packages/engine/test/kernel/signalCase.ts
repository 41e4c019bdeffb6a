import type { SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import type { SignalOrder, SignalsResult } from "../../src/kernel/signals/signalResult.ts"
import { simulateEntriesAndExits } from "../../src/kernel/signals/simulateEntriesAndExits.ts"
import { signalCandles, type SignalPrices } from "./signalCandles.ts"

/** Prices and signals made by hand; "010" is a signal on the second candle. */
export interface SignalCase {
  readonly prices: SignalPrices
  readonly entries: string
  readonly exits?: string
  readonly shortEntries?: string
  readonly options?: Partial<SignalOptions>
}

const flags = (text: string): ReadonlyArray<boolean> => Array.from(text, (sign) => sign === "1")

/** Trades a case with a capital of 100. */
export const runSignals = (one: SignalCase): SignalsResult => {
  const { entries, exits = entries.replaceAll("1", "0"), shortEntries } = one
  const shorts = shortEntries === undefined ? {} : { shortEntries: flags(shortEntries) }
  const signals = { entries: flags(entries), exits: flags(exits), ...shorts }
  return simulateEntriesAndExits(signalCandles(one.prices), signals, {
    capital: 100,
    ...one.options
  })
}

/** An order as "candle side quantity @ price - fee". */
export const toldOrder = ({ index, side, quantity, price, fee }: SignalOrder): string =>
  `${index} ${side} ${quantity} @ ${price}${fee === 0 ? "" : ` - ${fee}`}`

/** The orders of a case, told. */
export const ordersOf = (one: SignalCase): ReadonlyArray<string> =>
  runSignals(one).orders.map(toldOrder)
