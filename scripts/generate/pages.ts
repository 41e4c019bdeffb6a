/**
 * The pages that are printed from the code.
 */
import {
  BotMachine,
  DeliveryMachine,
  EndpointMachine,
  eventNames,
  fulfilledIn,
  Limits,
  type Metric,
  metrics,
  objectives,
  KillSwitchMachine,
  AttemptMachine,
  OrderMachine,
  PaperOrderMachine,
  problems,
  ReplayMachine,
  RunMachine,
  SecretMachine,
  StateTable,
  StrategyMachine,
  TradingStateMachine,
  strategyJsonSchema
} from "@candlewick/core"
import { parserRefusals } from "../../packages/http/src/server/nodeServer.ts"
import { Api } from "@candlewick/http/api"
import { OpenApi } from "effect/http-api"
import { settingRows } from "../../packages/http/src/main/settings.ts"
import { requestCountDefault, requestCountMax } from "../../packages/webhooks/src/requestPlaces.ts"
import { formatPage } from "./formatPage.ts"
import { indicatorPage } from "./indicatorPage.ts"
import { ladderPages } from "./ladderPages.ts"
import { code, page, table } from "./markdown.ts"
import { marketsPage } from "./marketsPage.ts"
import { operationTable } from "./operationTable.ts"
import { walkthroughPage } from "./walkthroughPage.ts"

const diagram = (name: string, machine: StateTable.StateTable<string, string>): string =>
  `## ${name}\n\n\`\`\`mermaid\n${StateTable.toMermaid(machine)}\n\`\`\``

const stateMachines = (): string =>
  page(
    "State machines",
    "This page draws the tables that the code runs on. Commands of callers are `start`, `pause`, `stop`, `cancel` and " +
      "`redeliver`; everything else is a fact.",
    diagram("Bot", BotMachine),
    "A command that is fulfilled already or under way answers 200 with `changed: false`:",
    table(
      ["command", "fulfilled in"],
      Object.entries(fulfilledIn).map(([command, states]) => [code(command), states.join(", ")])
    ),
    'A stop with `{"positions": "close"}` is fulfilled once the bot is flat as well. While the bot is stopping, it ' +
      "turns a stop that keeps positions into one that closes them. A stopped bot with positions stays stopped and closes " +
      "them. No stop takes back the closing of one before it.",
    "Beside its status a bot has a `trading_state`, the risk gate. While it is not `active`, nothing is entered; exits " +
      "go on. The states of the gate are the reasons that its bot is shown with, and each reason has one `trading_state`.",
    diagram("Trading state, by its reason", TradingStateMachine),
    table(
      ["`trading_state_reason`", "`trading_state`", "begins with", "ends with"],
      [
        [code("max_drawdown"), code("halted"), "a drawdown at the cap", code("POST …/risk/resume")],
        [
          code("daily_loss"),
          code("reducing"),
          "a loss since the day began at the limit",
          `the next UTC day, or ${code("POST …/risk/resume")}`
        ],
        [
          code("reconcile_mismatch"),
          code("halted"),
          "a start, or a call of `POST …/reconcile`, that finds positions, orders or cash that are not the exchange's",
          `${code("POST …/reconcile")} with ${code('{"accept": true}')}, or once nothing differs any more; the gate is then ` +
            "as it was before"
        ],
        [
          code("kill_switch"),
          code("halted"),
          "`POST /account/halt`, for all bots of the account",
          `${code("POST /account/resume")}; what the bot's own gate says shows again`
        ]
      ]
    ),
    "The kill switch belongs to the account. It leaves the gates of the bots as they are, and is shown over them.",
    diagram("Kill switch", KillSwitchMachine),
    diagram("Run (generation, optimization, backtest)", RunMachine),
    "A process that finds a run `running` after the process that began it has ended takes that as its `interrupt`.",
    diagram("Strategy", StrategyMachine),
    diagram("Order", OrderMachine),
    diagram("Attempt", AttemptMachine),
    diagram("Order at the paper venue", PaperOrderMachine),
    diagram("Delivery", DeliveryMachine),
    diagram("Webhook endpoint", EndpointMachine),
    diagram("Signing secrets of an endpoint", SecretMachine),
    diagram("Replay", ReplayMachine)
  )

const errors = (): string =>
  page(
    "Errors",
    "This page is for programs that handle refusals. Every refusal is an RFC 9457 document with `type`, `title`, `status`, `detail`, `instance`, `code` " +
      "and `request_id`. Where fields are at fault, `errors` has a JSON pointer, a code and a message for each. " +
      "Programs switch on `code`. The embedded library rejects with the same value.",
    "A field of a body that an operation does not have is refused, and so is a query parameter. " +
      "The fault has the code `unknown_field`, and `allowed` names the parameters of the operation.",
    table(
      ["code", "status", "title"],
      Object.entries(problems).map(([name, { status, title }]) => [code(name), status, title])
    ),
    "## Requests that reach no operation",
    "Node's parser refuses these with the same kind of document. No path is known then, so `instance` may be empty. The " +
      "server closes the connection.",
    table(
      ["code", "status", "title"],
      parserRefusals.map(({ code: name, status, title }) => [code(name), status, title])
    )
  )

const slowRequestCount = requestCountMax(requestCountDefault) - requestCountDefault

const limits = (): string =>
  page(
    "Limits",
    "This page lists every limit, with its unit last in its name.",
    table(
      ["limit", "value"],
      Object.entries(Limits).map(([name, value]) => [code(name), value])
    ),
    "## Where webhooks are counted",
    "Several processes may send from one database. A count in the database holds for all of them together. A count of a " +
      "process holds for that process, so that `n` processes may do `n` times as much.",
    table(
      ["what", "where", "with several processes"],
      [
        ["requests at once to an endpoint (`max_concurrency`)", "database", "the same"],
        [
          "requests at once for an account (`webhookInFlightPerAccountMax`), the last `webhookInFlightKeptCount` for endpoints without a request under way. A request under way for longer than `webhookSlowAfterMs` counts only against endpoints that are so slow",
          "database",
          "the same"
        ],
        [
          "attempts, failures in a row, the time without a success, and so `failing` and `disabled`",
          "database: each end of an attempt is judged after the ends before it",
          "the same"
        ],
        [
          "`rate_per_second` and its burst",
          "process",
          "up to `n` times the rate: set the rate that a receiver bears divided by `n`"
        ],
        [
          "the breaker",
          "process",
          "each opens after failures of its own: up to `n` times as many requests before all have opened, and `n` " +
            "probes a pause"
        ],
        [
          `requests at once in all (${requestCountDefault}, and ${slowRequestCount} more that are under way for longer than \`webhookSlowAfterMs\`: ${requestCountMax(requestCountDefault)} together)`,
          "process",
          "as many each"
        ]
      ]
    )
  )

const metricPage = (): string =>
  page(
    "Metrics",
    "This page has the formula of every metric. Rates are fractions, never percent. A metric that the sample can't support is `null` with a reason, never NaN, Infinity or a " +
      "sentinel.",
    "Equity is cash and open positions at each candle's close; the first equity is the capital. Returns are simple " +
      "ones of equity from one UTC day's end to the next. Where candles are a day or longer, they are from candle to candle. " +
      "A year has 365 of them where there are candles on weekends, else 252, and fewer where candles are longer than " +
      "a day. There is no risk-free rate. Metrics of positions look at closed ones, after the fees of both sides.",
    "Metrics that compare with a benchmark need one: reports compare with buying and holding the same markets. `better` " +
      "says which way is; `quote` is money in the currency that prices are in.",
    table(
      ["metric", "title", "unit", "better", "formula", "null where"],
      Object.entries<Metric>(metrics).map(([name, row]) => [
        code(name),
        row.title,
        row.unit,
        row.better,
        row.formula,
        row.absent
      ])
    ),
    `Objectives of a search are ${objectives.map(code).join(", ")}.`
  )

const configuration = (): string =>
  page(
    "Configuration",
    "This page lists the settings of the server. The server reads its environment. Values out of bounds stop the start, with a sentence for each that names its variable. A name that begins with `CANDLEWICK_` and is none of these is a warning in the log, with the nearest name.",
    table(
      ["variable", "default", "bounds", "meaning"],
      settingRows.map((row) => [
        code(row.variable),
        row.default === "" ? "none" : code(row.default),
        row.bounds,
        row.description
      ])
    ),
    `Events that webhooks may ask for: ${eventNames.map(code).join(", ")}.`
  )

/** Path and text of each generated page. */
export const pages = async (): Promise<ReadonlyArray<readonly [string, string]>> => [
  ["docs/state-machines.md", stateMachines()],
  ["docs/errors.md", errors()],
  ["docs/limits.md", limits()],
  ["docs/indicators.md", indicatorPage()],
  ["docs/metrics.md", metricPage()],
  ["docs/strategy-format.md", formatPage()],
  ["docs/strategy.schema.json", `${JSON.stringify(strategyJsonSchema(), null, 2)}\n`],
  ["docs/configuration.md", configuration()],
  ["docs/from-json-to-trades.md", await walkthroughPage()],
  ["docs/markets.md", await marketsPage()],
  ...ladderPages(),
  ["docs/openapi.json", `${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`],
  ["packages/dashboard/src/api/operations.ts", operationTable()]
]
