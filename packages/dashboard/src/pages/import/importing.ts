/**
 * The way to read a file, as the reader of the page sets it, and the effect of its import.
 */
import type { CandlePreviewRecord } from "../../api/types.ts"
import { formatMoment, formatNumber } from "../../parts/format.ts"

/** The fields of a candle. */
export const candleFields = ["time", "open", "high", "low", "close", "volume"] as const

/** A field of a candle. */
export type ImportField = (typeof candleFields)[number]

/** The settings of an import; an empty text leaves one to the server. */
export interface Settings {
  readonly symbol: string
  readonly currency: string
  readonly timeframe: string
  readonly time_unit: string
  readonly date_order: string
  readonly decimal: string
  readonly zone: string
  readonly file: string
  readonly source: string
  readonly on_conflict: string
  /** Which column is which field, by header or by number from 1. */
  readonly columns: Readonly<Partial<Record<ImportField, string>>>
}

/** Settings in which all but the market is left to the server. */
export const settingsFor = (symbol: string, timeframe = ""): Settings => ({
  symbol,
  currency: "",
  timeframe,
  time_unit: "",
  date_order: "",
  decimal: "",
  zone: "",
  file: "",
  source: "",
  on_conflict: "",
  columns: {}
})

/** The settings as the query of a request. */
export const queryOf = (settings: Settings): Readonly<Record<string, string>> => {
  const { columns, ...plain } = settings
  const map = candleFields
    .flatMap((field) => {
      const column = columns[field]?.trim() ?? ""
      return column === "" ? [] : [`${field}:${column}`]
    })
    .join(",")
  return Object.fromEntries(
    Object.entries({ ...plain, columns: map })
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== "")
  )
}

/** The settings after an answer to a question, which is written as `date_order=day_first`. */
export const settle = (settings: Settings, answer: string): Settings => {
  const at = answer.indexOf("=")
  const [name, value] = [answer.slice(0, at), answer.slice(at + 1)]
  if (name !== "columns") return name in settings ? { ...settings, [name]: value } : settings
  const named = value.split(",").map((one) => one.split(":") as [string, string])
  return { ...settings, columns: { ...settings.columns, ...Object.fromEntries(named) } }
}

const quotes = "USDT USDC FDUSD BUSD DAI USD EUR GBP JPY CHF AUD CAD NZD TRY BRL BTC ETH BNB".split(
  " "
)

const pairOf = (token: string): string | undefined => {
  const quote = quotes.find((one) => token.endsWith(one))
  if (quote === undefined) return undefined
  const base = token.slice(0, -quote.length)
  return /^[A-Z0-9]{2,12}$/.test(base) && /[A-Z]/.test(base) ? `${base}/${quote}` : undefined
}

/** The market that the name of a file speaks of; empty where it speaks of none. */
export const marketOfFileName = (fileName: string): string => {
  const stem = fileName.toUpperCase().replace(/(?:\.[A-Z]{2,8})+$/, "")
  const tokens = stem.split(/[^A-Z0-9]+/).filter((token) => token !== "")
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1]
    if (next !== undefined && quotes.includes(next) && /^[A-Z][A-Z0-9]{1,9}$/.test(token))
      return `${token}/${next}`
    const pair = pairOf(token) ?? pairOf(token.replace(/\d+$/, ""))
    if (pair !== undefined) return pair
  }
  const [first = ""] = tokens
  return /^[A-Z]{1,6}$/.test(first) ? first : ""
}

type Outcome = NonNullable<CandlePreviewRecord["would"]>

const counted = (count: number, one: string, many: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${formatNumber(count, 0)} ${count === 1 ? one : many}`]

/** The treatment of the rows by an import, in words. */
export const outcomeOf = (outcome: Outcome): string => {
  const kept = outcome.conflict_count - outcome.replaced_count
  const parts = [
    ...counted(outcome.added_count, "candle is new", "candles are new"),
    ...counted(outcome.same_count, "is kept already", "are kept already"),
    ...counted(outcome.replaced_count, "replaces another", "replace others"),
    ...counted(kept, "differs and stays as it is kept", "differ and stay as they are kept"),
    ...counted(outcome.duplicate_count, "row repeats another", "rows repeat another")
  ]
  const text = parts.length === 0 ? "The file has no new candles" : parts.join(", ")
  const { held_back: held } = outcome
  return held === null
    ? `${text}.`
    : `${text}. The candle of ${formatMoment(new Date(held.time).toISOString())} is not over, and is held back.`
}

/** Whether the only thing in the way is that kept candles have other values. */
export const isValueConflict = ({ errors }: Pick<CandlePreviewRecord, "errors">): boolean =>
  errors.length > 0 && errors.every(({ code }) => code === "contradicts_kept")
