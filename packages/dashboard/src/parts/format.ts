/**
 * Numbers, times and states as they are shown.
 */

const plain = new Map<number, Intl.NumberFormat>()

const formatOf = (digits: number): Intl.NumberFormat => {
  const known = plain.get(digits)
  if (known !== undefined) return known
  const made = new Intl.NumberFormat("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  })
  plain.set(digits, made)
  return made
}

const minus = "−"

// A value that rounds to nothing has no sign.
const withMinus = (text: string): string =>
  /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace("-", minus)

/** Nothing to show. */
export const noValue = "–"

/** A number with so many digits behind the point. */
export const formatNumber = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? noValue
    : withMinus(formatOf(digits).format(value))

/** A price: as many digits as its size asks for. */
export const formatPrice = (value: number | null | undefined): string => {
  if (value === null || value === undefined) return noValue
  const size = Math.abs(value)
  return formatNumber(value, size >= 1_000 ? 2 : size >= 10 ? 3 : size >= 0.1 ? 5 : 8)
}

/** A quantity: up to eight digits behind the point, and no zeros at the end. */
export const formatQuantity = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? noValue
    : withMinus(value.toLocaleString("en-US", { maximumFractionDigits: 8 }))

/** The value of a parameter: six digits that count. */
export const formatParameter = (value: number | boolean | null | undefined): string =>
  typeof value === "boolean"
    ? String(value)
    : value === null || value === undefined
      ? noValue
      : withMinus(value.toLocaleString("en-US", { maximumSignificantDigits: 6 }))

/** So many of something. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count, 0)} ${count === 1 ? one : many}`

/** A text of the server in which no number has more than ten digits that count. */
export const shortened = (text: string): string =>
  text.replaceAll(/\d+\.\d{9,}/g, (digits) => String(Number(Number(digits).toPrecision(10))))

/** A share as percent. */
export const formatShare = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined ? noValue : `${formatNumber(value * 100, digits)} %`

// Shares are shown as percent; a count of candles is none, also where its name ends like a share's.
const shares = /return|drawdown|rate|exposure|cagr|volatility|share/
const counts = /_(?:candles|count)$/

/** A metric as it is shown. */
export const formatMetric = (name: string, value: number | null | undefined): string => {
  if (value === null || value === undefined) return noValue
  if (shares.test(name) && !counts.test(name)) return formatShare(value)
  return Number.isInteger(value) ? formatNumber(value, 0) : formatNumber(value, 3)
}

/** A quantity in few letters: 4.17K. */
export const shortly = (value: number): string =>
  value.toLocaleString("en-US", { notation: "compact", maximumSignificantDigits: 3 })

/** A message of the server as a sentence of its own. */
export const sentence = (message: string): string => {
  const text = message.trim()
  const whole = /[.!?]$/.test(text) ? text : `${text}.`
  return `${whole[0]!.toUpperCase()}${whole.slice(1)}`
}

const days = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC"
})

/** A day in UTC. */
export const formatDay = (timestamp: string | null | undefined): string =>
  timestamp === null || timestamp === undefined ? noValue : days.format(new Date(timestamp))

/** A moment in UTC, to the second where it has any. */
export const formatMoment = (timestamp: string | null | undefined): string => {
  if (timestamp === null || timestamp === undefined) return noValue
  const iso = new Date(timestamp).toISOString()
  const clock = iso.slice(11, 19)
  return `${iso.slice(0, 10)} ${clock.endsWith(":00") ? clock.slice(0, 5) : clock}`
}

const units: ReadonlyArray<readonly [seconds: number, name: string]> = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"]
]

/** A duration in its two largest units. */
export const formatDuration = (seconds: number | null | undefined): string => {
  if (seconds === null || seconds === undefined) return noValue
  const at = units.findIndex(([size]) => seconds >= size)
  if (at === -1) return "0 s"
  const [size, name] = units[at]!
  const next = units[at + 1]
  const rest = next === undefined ? 0 : Math.floor((seconds % size) / next[0])
  return `${Math.floor(seconds / size)} ${name}${rest > 0 && next !== undefined ? ` ${rest} ${next[1]}` : ""}`
}

/** A name of the API as words: `stale_data` as `stale data`. */
export const words = (name: string): string => name.replaceAll("_", " ")

const timeframeSeconds: Readonly<Record<string, number>> = {
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800
}

/** Parameters with their values, in one line. */
export const valuesOf = (parameters: Readonly<Record<string, number | boolean>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${words(name)} ${formatParameter(value)}`)
    .join(", ")

/** How long a candle of a timeframe lasts. */
export const secondsOf = (timeframe: string): number => {
  const [, count = "1", unit = "h"] = /^(\d+)([a-z])/.exec(timeframe) ?? []
  return Number(count) * (timeframeSeconds[unit] ?? 3_600)
}
