/**
 * What the methods of the promised services take, as schemas: the types hold for callers that are
 * compiled, these for everybody.
 *
 * @since 0.1.0
 */
import { Effect, Result, Schema, Struct } from "effect"
import { HaltRequest } from "../domain/Account.ts"
import { AlertChanges, AlertRequest } from "../domain/Alert.ts"
import { BacktestRequest } from "../domain/Backtest.ts"
import { BotChanges, BotRequest } from "../domain/Bot.ts"
import { botCommands } from "../domain/BotMachine.ts"
import { StopRequest } from "../domain/BotViews.ts"
import { ReconcileRequest } from "../domain/Reconciliation.ts"
import { SeriesKey } from "../domain/Candle.ts"
import { EventName } from "../domain/DomainEvent.ts"
import { Market, Timestamp, toFaults, withTypes } from "@candlewick/engine"
import { Limits } from "../domain/Limits.ts"
import { LogEntryLevel } from "../domain/LogEntry.ts"
import { OptimizeRequest } from "../domain/Optimization.ts"
import { invalidFields, type Problem } from "../domain/Problem.ts"
import { GenerateRequest, StrategyChanges, StrategyRequest } from "../domain/Strategy.ts"
import { ReplayRequest } from "../domain/Replay.ts"
import {
  SecretRotation,
  WebhookChanges,
  WebhookReplacement,
  WebhookRequest
} from "../domain/WebhookEndpoint.ts"
import { type CandleColumns, columnNames } from "@candlewick/engine/kernel"

/** What one method takes, argument by argument. */
type Arguments = ReadonlyArray<Schema.ConstraintDecoder<unknown>>

const id = Schema.String
const version = Schema.UndefinedOr(Schema.Int)
const seconds = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))
const pageFields = {
  limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.pageSizeMax })),
  before: Schema.optional(Schema.String)
}
const page = Schema.Struct(pageFields)

const isColumns = (value: unknown): value is CandleColumns => {
  if (typeof value !== "object" || value === null) return false
  const columns = value as Partial<CandleColumns>
  return columnNames.every((name) => {
    const column = columns[name]
    return column instanceof Float64Array && column.length === columns.length
  })
}

const columns = Schema.declare(isColumns, {
  expected: "columns of candles, one Float64Array of the same length for each field"
})

const range = Schema.optional(
  Schema.Struct({ from: Schema.optional(Schema.Finite), to: Schema.optional(Schema.Finite) })
)

const run = { get: [id], list: [page], cancel: [id], wait: [id, seconds] }

/** Arguments of every method of a plain host, without the account. */
export const requestSchemas = {
  alerts: {
    create: [AlertRequest],
    get: [id],
    list: [page],
    update: [id, AlertChanges, version],
    remove: [id]
  },
  backtests: { ...run, start: [BacktestRequest] },
  bots: {
    create: [BotRequest],
    get: [id],
    list: [page],
    update: [id, BotChanges, version],
    remove: [id, Schema.UndefinedOr(Schema.Literal("keep"))],
    command: [id, Schema.Literals(botCommands), Schema.UndefinedOr(StopRequest)],
    closePositions: [id],
    resumeRisk: [id],
    haltAll: [Schema.UndefinedOr(HaltRequest)],
    resumeAll: [],
    reconcile: [id, Schema.UndefinedOr(ReconcileRequest), version],
    status: [id],
    logs: [
      id,
      Schema.Struct({
        ...pageFields,
        after: Schema.optional(Schema.String),
        level: Schema.optional(LogEntryLevel),
        since: Schema.optional(Schema.String)
      })
    ],
    performance: [id],
    trades: [id, page],
    orders: [id, page],
    equity: [id, page]
  },
  candles: {
    import: [
      Schema.Struct({
        key: SeriesKey,
        columns,
        source: Schema.optional(Schema.String),
        synthetic: Schema.optional(Schema.Boolean),
        market: Schema.optional(Market.mapFields(Struct.map(Schema.optionalKey)))
      })
    ],
    list: [],
    listMarkets: [],
    load: [SeriesKey, range],
    dataset: [SeriesKey, range],
    defaultDataset: [SeriesKey.fields.timeframe, Schema.UndefinedOr(Schema.Int)]
  },
  optimizations: { ...run, start: [OptimizeRequest] },
  strategies: {
    ...run,
    generate: [GenerateRequest],
    write: [StrategyRequest],
    update: [id, StrategyChanges, version],
    remove: [id]
  },
  webhooks: {
    register: [WebhookRequest],
    get: [id],
    list: [page],
    update: [id, WebhookChanges, version],
    replace: [id, WebhookReplacement, version],
    remove: [id],
    rotateSecret: [id, SecretRotation],
    activateSecret: [id],
    test: [id, Schema.UndefinedOr(EventName)],
    delivery: [id, id],
    redeliver: [id, id],
    replay: [id, ReplayRequest],
    replays: [id, page],
    replayStatus: [id, id],
    cancelReplay: [id, id],
    deliveries: [
      id,
      Schema.Struct({
        ...pageFields,
        status: Schema.optional(Schema.String),
        event: Schema.optional(Schema.String),
        since: Schema.optional(Timestamp),
        until: Schema.optional(Timestamp)
      })
    ]
  }
} satisfies Record<string, Record<string, Arguments>>

/**
 * The arguments as a method wants them; fails with `validation_failed` and every fault. Arguments
 * that the method does not take are left out.
 */
export const checkArguments = (
  schemas: Arguments,
  given: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<unknown>, Problem> => {
  const values: Array<unknown> = []
  for (const [at, schema] of schemas.entries()) {
    const decoded = Schema.decodeUnknownResult(schema, {
      errors: "all",
      onExcessProperty: "error"
    })(given[at])
    if (Result.isFailure(decoded)) {
      const faults = toFaults(decoded.failure.issue).map(withTypes(given[at]))
      return Effect.fail(invalidFields(faults))
    }
    values.push(decoded.success)
  }
  return Effect.succeed(values)
}
