/**
 * Types of requests and answers, taken from the API value as they are on the wire.
 */
import type { Api, OverviewRecord } from "@candlewick/http/api"
import type { operations } from "./operations.ts"

/** The name of an operation: its group and its own. */
export type OperationName = keyof typeof operations

type Groups = (typeof Api)["groups"]

type EndpointOf<N extends string> = N extends `${infer G}.${infer E}`
  ? G extends keyof Groups
    ? E extends keyof Groups[G]["endpoints"]
      ? Groups[G]["endpoints"][E]
      : never
    : never
  : never

// No field of ours is another on the wire than in the program: texts, numbers, lists, objects.
type Plain<S> = S extends { readonly Type: infer A } ? A : never

/** The answer of an operation, as JSON. */
export type Answer<N extends OperationName> =
  EndpointOf<N> extends { readonly "~Success": infer S } ? Plain<S> : never

type Fields<S> = [Plain<S>] extends [never] ? object : Plain<S>

type QueryOf<N extends OperationName> =
  EndpointOf<N> extends { readonly "~Query": infer Q }
    ? { readonly [Name in keyof Fields<Q>]?: string | number | boolean | undefined }
    : object

/** The body of an operation. */
export type PayloadOf<N extends OperationName> =
  EndpointOf<N> extends { readonly "~Payload": infer P } ? Plain<P> : never

/** The query of an operation. */
export interface Request<N extends OperationName> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: QueryOf<N>
  readonly payload?: PayloadOf<N>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

type ItemOf<A> = A extends { readonly data: ReadonlyArray<infer I> } ? I : never

export type {
  AlertRecord,
  BacktestResults,
  BotRecord,
  CandlePreviewRecord,
  DeliveryRecord,
  KeyRecord,
  ListedBacktest,
  ListedOrderRecord,
  OverviewRecord,
  SeriesFindingsRecord,
  SeriesRecord,
  StatusRecord,
  StrategyRecord,
  TradeRecord,
  TrialRecord
} from "@candlewick/http/api"

/** The worth of the bots of a mode and a currency. */
export type Performance = OverviewRecord["performance"][number]
/** Equity and result of a day. */
export type Day = ItemOf<Answer<"portfolio.equity">>
/** A line of a bot's log. */
export type LogLine = ItemOf<Answer<"bots.logs">>
/** A bot beside its backtest. */
export type Expected = Answer<"bots.expected">
/** A version of a strategy. */
export type Version = ItemOf<Answer<"strategies.versions">>
/** A search for parameters, without its results. */
export type Search = ItemOf<Answer<"optimizations.list">>
/** A search for parameters with its results. */
export type SearchResults = Answer<"optimizations.results">
/** A webhook endpoint. */
export type Webhook = Answer<"webhooks.get">
