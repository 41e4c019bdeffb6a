/**
 * The fields of the form, and the definition that they stand for.
 */

/** A series that the form knows. */
export interface SeriesDraft {
  readonly kind: DraftSeries
  /** The period of an indicator, or the value of a constant. */
  readonly value: number
}

/** The series that the form knows: prices, indicators, a number. */
export const seriesKinds = ["close", "open", "high", "low", "sma", "ema", "rsi", "number"] as const

/** A series that the form knows. */
export type DraftSeries = (typeof seriesKinds)[number]

/** How two series are compared. */
export const comparisons = ["crosses_above", "crosses_below", "above", "below"] as const

/** How two series are compared. */
export type DraftComparison = (typeof comparisons)[number]

/** One condition. */
export interface RuleDraft {
  readonly left: SeriesDraft
  readonly comparison: DraftComparison
  readonly right: SeriesDraft
}

/** Conditions of which all or any have to hold. */
export interface RulesDraft {
  readonly join: "all" | "any"
  readonly rules: ReadonlyArray<RuleDraft>
}

/** The fields of the form. */
export interface StrategyDraft {
  readonly name: string
  readonly symbol: string
  readonly timeframe: string
  readonly side: "long" | "short"
  readonly enter: RulesDraft
  readonly exit: RulesDraft
  /** In percent of the entry price; 0 is none. */
  readonly stopPercent: number
  readonly targetPercent: number
  /** In percent of the equity. */
  readonly sizePercent: number
  /** Whether a search may change the periods. */
  readonly isTunable: boolean
}

const close: SeriesDraft = { kind: "close", value: 20 }

/** The first state of the form. */
export const firstDraft: StrategyDraft = {
  name: "",
  symbol: "",
  timeframe: "",
  side: "long",
  enter: {
    join: "all",
    rules: [
      {
        left: { kind: "ema", value: 12 },
        comparison: "crosses_above",
        right: { kind: "ema", value: 26 }
      }
    ]
  },
  exit: {
    join: "any",
    rules: [
      {
        left: { kind: "ema", value: 12 },
        comparison: "crosses_below",
        right: { kind: "ema", value: 26 }
      }
    ]
  },
  stopPercent: 3,
  targetPercent: 0,
  sizePercent: 100,
  isTunable: true
}

/** A condition to begin with. */
export const firstRule: RuleDraft = {
  left: close,
  comparison: "above",
  right: { kind: "sma", value: 50 }
}

type Json = Readonly<Record<string, unknown>>

const isIndicator = (kind: DraftSeries): boolean => ["sma", "ema", "rsi"].includes(kind)

const parameterOf = ({ kind, value }: SeriesDraft): string => `${kind}_${value}`

const seriesOf = (series: SeriesDraft, isTunable: boolean): Json => {
  const { kind, value } = series
  if (kind === "number") return { type: "constant", value }
  if (!isIndicator(kind)) return { type: "price", field: kind }
  return { type: kind, period: isTunable ? { parameter: parameterOf(series) } : value }
}

const rulesOf = ({ join, rules }: RulesDraft, isTunable: boolean): Json | undefined => {
  const made = rules.map(({ comparison, left, right }) => ({
    type: comparison,
    left: seriesOf(left, isTunable),
    right: seriesOf(right, isTunable)
  }))
  return made.length > 1 ? { type: join, rules: made } : made[0]
}

const parametersOf = ({ enter, exit, isTunable }: StrategyDraft): Json => {
  if (!isTunable) return {}
  const series = [...enter.rules, ...exit.rules].flatMap(({ left, right }) => [left, right])
  return Object.fromEntries(
    series
      .filter(({ kind }) => isIndicator(kind))
      .map((one) => [
        parameterOf(one),
        {
          kind: "integer",
          default: one.value,
          min: Math.max(2, Math.floor(one.value / 2)),
          max: Math.max(3, Math.ceil(one.value * 2)),
          step: 1
        }
      ])
  )
}

const fraction = (percent: number): Json => ({ type: "fraction", value: percent / 100 })

/** The definition that a draft stands for. */
export const draftDefinition = (draft: StrategyDraft): Json => {
  const { isTunable, side, sizePercent, stopPercent, targetPercent } = draft
  const [enter, exit] = [rulesOf(draft.enter, isTunable), rulesOf(draft.exit, isTunable)]
  const exits = {
    ...(stopPercent > 0 ? { stop_loss: fraction(stopPercent) } : {}),
    ...(targetPercent > 0 ? { take_profit: fraction(targetPercent) } : {})
  }
  return {
    format: 1,
    symbols: [draft.symbol],
    timeframe: draft.timeframe,
    parameters: parametersOf(draft),
    [side]: { enter, ...(exit === undefined ? {} : { exit }) },
    ...(Object.keys(exits).length === 0 ? {} : { exits }),
    ...(sizePercent === 100
      ? {}
      : { sizing: { type: "equity_fraction", fraction: sizePercent / 100 } })
  }
}

/** Where the definition has a condition of the form, as the server's pointers name it. */
export const pointerOf = (
  side: string,
  part: "enter" | "exit",
  at: number,
  count: number
): string => `/definition/${side}/${part}${count > 1 ? `/rules/${at}` : ""}`
