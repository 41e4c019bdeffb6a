/**
 * Candle rules of other software with the trades that it makes of them, from the folder in
 * CANDLEWICK_ORACLES.
 */
import { casesIn } from "./oracleFolder.ts"

export type Flag = 0 | 1

export interface RuleCandle {
  readonly o: number
  readonly h: number
  readonly l: number
  readonly c: number
  readonly enter_long: Flag
  readonly exit_long: Flag
  readonly enter_short: Flag
  readonly exit_short: Flag
}

export interface RuleSettings {
  readonly stop_loss: number
  readonly roi: Readonly<Record<string, number>>
  readonly trailing_stop: boolean
  readonly trailing_stop_positive: number | null
  readonly trailing_stop_positive_offset: number
  readonly trailing_only_offset_is_reached: boolean
  readonly use_exit_signal: boolean
  readonly use_custom_stoploss: boolean
  readonly leverage: number
  readonly custom_entry_price: number | null
  readonly custom_exit_price: number | null
  readonly adjust_entry_price: number | null
  readonly adjust_entry_mode: "cancel" | "reprice"
  readonly entry_timeout_min: number
  readonly exit_timeout_min: number
}

export interface RuleTrade {
  readonly entry_bar: number
  readonly exit_bar: number
  readonly exit_reason: string
  readonly side: "long" | "short"
}

export interface RuleCase {
  readonly id: string
  readonly description: string
  readonly candles: ReadonlyArray<RuleCandle>
  readonly settings: RuleSettings
  readonly expected: {
    readonly trades: ReadonlyArray<RuleTrade>
    readonly profit_ratio_sum_3dp: number
    readonly derived_prices: ReadonlyArray<{
      readonly entry_price: number
      readonly exit_price: number
      readonly profit_ratio: number
    }>
  }
}

/** All cases, or none where no folder is named. */
export const readRuleCases = (): ReadonlyArray<RuleCase> => casesIn<RuleCase>("candle_rules")
