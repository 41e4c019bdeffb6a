/**
 * The figures of an account, as `/metrics` shows them to a key of that account.
 *
 * The figures are of the whole account, whichever process runs its bots, and come from the store.
 * They are looked at once in 30 s at most, so that a scrape costs the same with any number of bots.
 *
 * @since 0.1.0
 */
import { type Overview, Portfolio, type Problem, type StoreError } from "@candlewick/core"
import { Clock, Effect } from "effect"

const keptMs = 30_000

interface Family {
  readonly name: string
  readonly help: string
  readonly samples: ReadonlyArray<{
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
  }>
}

const escape = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const sampleText = (name: string, labels: Readonly<Record<string, string>>, value: number) => {
  const inside = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`)
  return `${name}{${inside.join(",")}} ${value}`
}

const familyText = ({ help, name, samples }: Family): ReadonlyArray<string> =>
  samples.length === 0
    ? []
    : [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} gauge`,
        ...samples.map(({ labels, value }) => sampleText(name, labels, value))
      ]

const familiesOf = ({ bots, held_back_count, is_halted, performance }: Overview) => {
  const byGroup = (
    name: string,
    help: string,
    valueOf: (group: Overview["performance"][number]) => number | null
  ): Family => ({
    name,
    help,
    samples: performance.flatMap((group) => {
      const value = valueOf(group)
      return value === null
        ? []
        : [{ labels: { mode: group.mode, currency: group.currency }, value }]
    })
  })
  const statuses = Object.entries(bots).flatMap(([mode, counts]) =>
    Object.entries(counts).map(([status, value]) => ({ labels: { mode, status }, value }))
  )
  return [
    { name: "candlewick_bots", help: "Bots of the account, by status", samples: statuses },
    {
      name: "candlewick_bots_held_back",
      help: "Bots of the account that something holds back",
      samples: [{ labels: {}, value: held_back_count }]
    },
    {
      name: "candlewick_account_halted",
      help: "1 while the kill switch is on",
      samples: [{ labels: {}, value: is_halted ? 1 : 0 }]
    },
    byGroup("candlewick_equity", "Equity of the account's bots", ({ equity }) => equity),
    byGroup(
      "candlewick_capital_allocation",
      "Capital that the account's bots were given",
      ({ capital_allocation }) => capital_allocation
    ),
    byGroup(
      "candlewick_realized_pnl",
      "Result of the positions that the account's bots have closed",
      ({ realized_pnl }) => realized_pnl
    ),
    byGroup("candlewick_fees_paid", "Fees that they have paid", ({ fees_paid }) => fees_paid),
    byGroup("candlewick_fills", "Fills of the account's bots", ({ trade_count }) => trade_count),
    byGroup(
      "candlewick_last_candle_timestamp_seconds",
      "Time of the newest candle that a bot has seen",
      ({ last_candle_at }) => (last_candle_at === null ? null : Date.parse(last_candle_at) / 1_000)
    )
  ]
}

const textOf = (overview: Overview): string =>
  familiesOf(overview)
    .flatMap(familyText)
    .map((line) => `${line.replace("{}", "")}\n`)
    .join("")

interface Seen {
  readonly atMs: number
  readonly text: string
}

/** Metrics of an account in the Prometheus text format. @category constructors @since 0.1.0 */
export const makeAccountMetrics: Effect.Effect<
  (accountId: string) => Effect.Effect<string, Problem | StoreError>,
  never,
  Portfolio
> = Effect.map(Portfolio, (portfolio) => {
  const seen = new Map<string, Seen>()
  return Effect.fnUntraced(function* (accountId: string) {
    const nowMs = yield* Clock.currentTimeMillis
    const last = seen.get(accountId)
    if (last !== undefined && nowMs - last.atMs < keptMs) return last.text
    const text = textOf(yield* portfolio.overview(accountId))
    for (const [account, { atMs }] of seen) if (nowMs - atMs >= keptMs) seen.delete(account)
    seen.set(accountId, { atMs: nowMs, text })
    return text
  })
})
