import { readFileSync } from "node:fs"
import type { SourceEngine } from "./sourceEngine.ts"

/** The commands of a script at the decision of a candle. */
export interface ScriptAction {
  readonly bar: number
  readonly op: "buy" | "sell" | "close" | "cancel_pending" | "set_sl" | "set_tp"
  readonly size?: number
  readonly limit?: number
  readonly stop?: number
  readonly sl?: number
  readonly tp?: number
  readonly tag?: string
  readonly portion?: number
  readonly price?: number
}

/** A trade as other software told it. */
export interface ScriptTrade {
  readonly size: number
  readonly entry_bar: number
  readonly exit_bar: number
  readonly entry_price: number
  readonly exit_price: number
  readonly sl: number | null
  readonly tp: number | null
  readonly pnl: number
  readonly commission: number
  readonly return_frac: number
  readonly tag: string | null
}

/** An order script and what other software made of it. */
export interface OrderScript {
  readonly id: string
  readonly engine: SourceEngine
  readonly bars: ReadonlyArray<readonly [number, number, number, number]>
  readonly script: ReadonlyArray<ScriptAction>
  readonly expected: {
    readonly trades: ReadonlyArray<ScriptTrade>
    readonly open_trades: ReadonlyArray<{
      readonly size: number
      readonly entry_bar: number
      readonly entry_price: number
    }>
    readonly pending_orders: number
    readonly equity: ReadonlyArray<number>
    readonly cash_final: number
  }
}

/** The scripts of a file: one of a line, or all of them as `cases`. */
export const readScripts = (path: string): ReadonlyArray<OrderScript> => {
  const text = readFileSync(path, "utf8")
  if (!path.endsWith(".jsonl")) {
    return (JSON.parse(text) as { readonly cases: ReadonlyArray<OrderScript> }).cases
  }
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as OrderScript)
}
