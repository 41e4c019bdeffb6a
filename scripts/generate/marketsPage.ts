/**
 * The page on markets, with one strategy on the sample candles of GBP/USD under three revisions of
 * its market. Where a run that names an earlier revision differs from the run of that time, no page
 * is written.
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import { readFileSync } from "node:fs"
import {
  type BacktestReport,
  Candlewick,
  columnNames,
  type MarketRevision,
  makeColumns,
  type StrategyDefinition
} from "@candlewick/core"
import { MemoryStore } from "../../packages/store-memory/src/index.ts"
import { appetites } from "../../packages/core/src/services/runs/generate/riskAppetite.ts"
import { code, page, table } from "./markdown.ts"

const symbol = "GBP/USD"

const readSample = () => {
  const text = readFileSync(new URL("../../samples/gbpusd_1h.csv", import.meta.url), "utf8")
  const [head = "", ...rows] = text.trim().split("\n")
  const names = head.split(",")
  const columns = makeColumns(rows.length)
  rows.forEach((row, index) => {
    const cells = row.split(",")
    for (const name of columnNames) columns[name][index] = Number(cells[names.indexOf(name)])
  })
  return columns
}

const average = (period: number) => ({ type: "ema", period }) as const
const crossing = (type: "crosses_above" | "crosses_below") =>
  ({ type, left: average(20), right: average(80) }) as const

/** Long above and short below the slower average, with twice the equity where it can be had. */
const definition: StrategyDefinition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {},
  long: { enter: crossing("crosses_above"), exit: crossing("crosses_below") },
  short: { enter: crossing("crosses_below"), exit: crossing("crosses_above") },
  exits: { stop_loss: { type: "atr", period: 14, multiple: 6 } },
  sizing: { type: "equity_fraction", fraction: 2 }
}

const created = { symbol: "ETH/USD", tick: 0.01, lot: 0.001, min_notional: 10, can_short: true }
const changes = [
  { can_short: true },
  { max_leverage: 3, funding_rate: 0.00001, funding_interval_hours: 8 }
] as const

/** The record as a caller sees it, without its times. */
const shown = ({ created_at: _made, updated_at: _changed, ...rest }: MarketRevision) => rest

const runAll = async () => {
  const candlewick = await Candlewick.open({ store: MemoryStore.layer, size: 1 })
  try {
    const { backtests, candles, markets, strategies } = candlewick
    const columns = readSample()
    const market = { tick: 0.00001 }
    await candles.import({ key: { symbol, timeframe: "1h" }, columns, market })
    const { id } = await strategies.write({ name: "two averages", definition })
    const run = async (more: object = {}): Promise<BacktestReport> => {
      const { report } = await backtests.run({ strategy_id: id, ...more })
      if (report === null) throw new Error("the backtest has no report")
      return report
    }
    const made = await markets.create(created)
    const reports = [await run()]
    for (const change of changes) {
      await markets.update(symbol, change)
      reports.push(await run())
    }
    const again = await run({ market_revisions: { [symbol]: 1 } })
    deepStrictEqual(again, reports[0])
    deepStrictEqual(await run({ market_revisions: reports[0]!.markets }), reports[0])
    return { made, reports }
  } finally {
    await candlewick.close()
  }
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
const json = (value: unknown): string => JSON.stringify(value, null, 2)
const percent = (rate: number | null | undefined): string => `${(100 * (rate ?? 0)).toFixed(2)} %`

const terms: ReadonlyArray<readonly [string, string, string, string]> = [
  ["tick", "step of prices", "1e-15 to 1e15, or null", "null, which trades as 1e-8"],
  ["lot", "step of quantities", "1e-15 to 1e15, or null", "null, which trades as 1e-8"],
  ["min_notional", "least value of an entry", "0 or more", "0"],
  ["maker_rate", "fee of limit and target fills", "-0.01 to 0.5", "0.001; two currencies 0"],
  ["taker_rate", "fee of all other fills", "-0.01 to 0.5", "0.001; two currencies 0"],
  ["fee_per_fill", "a further cost of each fill", "0 or more", "0"],
  ["spread_rate", "spread, of which a fill pays half", "0 to 0.5", "0; two currencies 0.0001"],
  ["slippage_rate", "slippage of a fill", "0 to 0.5", "0.0005; two currencies 0"],
  ["volume_share_max", "most of a candle's volume for one order", "0.0001 to 1, or null", "null"],
  ["volume_slippage_rate", "slippage of an order as large as the volume", "0 to 0.5", "0"],
  ["can_short", "whether shorts are ordered", "true or false", "false"],
  ["max_leverage", "notional over equity that the market lends to", "1 to 1000", "1"],
  ["funding_rate", "the rate that longs pay shorts at each interval", "-0.01 to 0.5", "0"],
  ["funding_interval_hours", "hours between two payments", "1/60 to 8760", "8"]
]

const writing = (made: MarketRevision): ReadonlyArray<string> => [
  "## Writing one",
  "`POST /v1/markets` takes a symbol and its known terms; a key needs `market:write`. A field that is left out has the usual value, as in the table. A market that the account has already is refused with 409 `already_exists`.",
  fence(
    "sh",
    `curl -s $URL/v1/markets -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(created)}'`
  ),
  "It is answered with 201 and, besides `created_at` and `updated_at`, this:",
  fence("json", json(shown(made))),
  table(
    ["term", "what it is", "bounds", "where no source names it"],
    terms.map(([name, ...rest]) => [code(name), ...rest])
  ),
  "Rates are fractions: of the price for spread and slippage, of notional for fees and funding. `source` says where the terms come from: `given` by a caller, reported by an `exchange`, or `inferred`. A market is `inferred` whose candles were imported while no caller gave it any terms. Terms are never read off candles ([why](decisions/0012-steps-are-named.md)).",
  "## Revisions",
  "`PUT /v1/markets/:id` changes the terms that it names and makes the next `revision`. Where nothing would change, it makes none. The id may be the symbol with its slash as `%2F`. `If-Match` with the revision that the caller knows guards against lost updates: 412 where there is a newer one. Revisions are never changed or removed: `GET /v1/markets/:id?revision=1` and `GET /v1/markets/:id/revisions` show them. `hash` is of the terms alone: equal terms of two accounts have the same hash."
]

const owning: ReadonlyArray<string> = [
  "## Whose it is",
  "The operator's account writes `shared` records: every account reads them. Another account writes its own, markets and candles alike; no other account sees them. A market of its own stands before the shared one of the same symbol, for that account alone. Where an account has candles of a symbol, its runs and bots use those alone, in every timeframe. `GET /v1/markets` and `GET /v1/candles` list an account's own first, and `owner=shared` exports a shared series. Only the operator changes shared records: others are refused with 422, and make one of their own.",
  "A server that kept candles and markets before they had owners shares all of them, since their owner is unknown. An import that has an account's own candles stand before shared ones says so in `warnings`, with the counts of both.",
  "## What went by which revision",
  'The results of a backtest and of an optimisation name in `markets` the revision and the hash that they ran on. So does the evidence of a generated strategy. A backtest takes `market_revisions` to run on these once more. The field takes `markets` of a result or a bot as it is. It also takes, by symbol, an entry of `markets` or the number of a revision, such as `{ "GBP/USD": 1 }`. A number belongs to the market that counts for the account by then. Where the account has made a market of its own meanwhile, it belongs to that one. An entry belongs to the market that it names, which must be the account\'s own or shared. An entry whose id, revision and hash no market has is refused with 422 `unknown_revision`. Candles are not pinned: a result names the hash of its own.',
  "A bot names its own revisions in `markets` and trades by them. It takes the newest ones when it is started from rest with nothing open, or gets another strategy, capital or other symbols. Its log says so (`market.revised`). A bot that holds a position when it is started goes on by the terms that it entered by (`market.kept`).",
  "Backtests, optimisations and bots refuse a strategy that enters short alone on markets that allow no shorts. The answer is 422 `shorts_forbidden`, at the field that names the strategy. Where a long side remains, `warnings` of results and of bots name the markets. A strategy that is written is kept and warned of, since its markets may allow shorts by the time that it runs. Generation searches shorts where every market of the request allows them."
]

const risking = (): ReadonlyArray<string> => [
  "## What a risk tolerance does with it",
  "Besides the limits of [its profile](strategy-format.md#timeframes-risk-schema), a tolerance says how candidates of a generation are sized, and how far away their stops are drawn. For the same rule drawdowns rise with the tolerance on nearly all candles. Which rule is chosen may differ, since each is judged as it would be traded.",
  table(
    ["tolerance", "positions, of equity", "distance of stops", "where the market lends"],
    Object.entries(appetites).map(([name, { exposure, stopScale }]) => [
      code(name),
      percent(exposure).replace(".00", ""),
      `${stopScale} of the usual`,
      name === "high"
        ? "up to twice the equity; `max_exposure` and `risk_per_trade` of the profile grow alike"
        : "no more"
    ])
  )
]

const toRow = (report: BacktestReport, change: string): ReadonlyArray<string | number> => {
  const { funding_paid, markets, metrics, positions } = report
  const [pin] = markets!
  const count = (direction: "long" | "short") =>
    positions.filter((one) => one.direction === direction).length
  return [
    pin!.revision,
    code(pin!.hash.slice(0, 8)),
    change,
    count("long"),
    count("short"),
    percent(metrics["total_return"]),
    percent(metrics["max_drawdown"]),
    funding_paid!.toFixed(2)
  ]
}

/** The whole page. */
export const marketsPage = async (): Promise<string> => {
  const { made, reports } = await runAll()
  const [spot, both, lent] = reports
  ok(spot!.positions.every(({ direction }) => direction === "long"))
  ok(both!.positions.some(({ direction }) => direction === "short"))
  ok(lent!.funding_paid !== 0)
  return page(
    "Markets",
    "This page is for everybody who writes the record of a market. A market's record has the steps and the costs of a symbol. It also says whether a strategy may sell it short or buy it on borrowed money. Generations, backtests, optimisations and paper bots go by it.",
    ...writing(made),
    ...owning,
    ...risking(),
    "## One strategy under three revisions",
    "This strategy follows two averages of the sample candles of GBP/USD, both ways, with twice its equity where that can be had:",
    fence("json", json(definition)),
    table(
      [
        "revision",
        "hash",
        "`PUT` before it",
        "longs",
        "shorts",
        "total return",
        "largest drawdown",
        "funding paid"
      ],
      [
        toRow(spot!, "none"),
        ...changes.map((change, index) => toRow(reports[index + 1]!, code(JSON.stringify(change))))
      ]
    ),
    `The first run warns: "${spot!.warnings[0]!}" Run once more with \`market_revisions: { "${symbol}": 1 }\` after both changes, it gives the report of the first row, to the digit. The program that writes this page checks that.`
  )
}
