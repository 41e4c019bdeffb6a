/**
 * Types of requests and answers, taken from the API value as they are on the wire.
 */
import type { Api } from "@candlewick/http/api"
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

/** An account at one look. */
export type Overview = Answer<"portfolio.overview">
/** The worth of the bots of a mode and a currency. */
export type Performance = Overview["performance"][number]
/** Equity and result of a day. */
export type Day = ItemOf<Answer<"portfolio.equity">>
/** A bot. */
export type Bot = Answer<"bots.get">
/** The state of a bot. */
export type BotStatus = Answer<"bots.status">
/** A fill. */
export type Trade = ItemOf<Answer<"bots.trades">>
/** An order. */
export type Order = ItemOf<Answer<"bots.orders">>
/** A line of a bot's log. */
export type LogLine = ItemOf<Answer<"bots.logs">>
/** A bot beside its backtest. */
export type Expected = Answer<"bots.expected">
/** A strategy. */
export type Strategy = Answer<"strategies.get">
/** A version of a strategy. */
export type Version = ItemOf<Answer<"strategies.versions">>
/** A search for parameters, without its results. */
export type Search = ItemOf<Answer<"optimizations.list">>
/** A search for parameters with its results. */
export type SearchResults = Answer<"optimizations.results">
/** A trial of a search. */
export type Trial = ItemOf<Answer<"optimizations.trials">>
/** A backtest in a list. */
export type ListedBacktest = ItemOf<Answer<"backtests.list">>
/** A backtest with its results, once it is over. */
export type BacktestResults = Answer<"backtests.results">
/** An alert. */
export type Alert = ItemOf<Answer<"alerts.list">>
/** An API key without its text. */
export type ApiKey = ItemOf<Answer<"account.listKeys">>
/** A webhook endpoint. */
export type Webhook = Answer<"webhooks.get">
/** An event on its way to an endpoint. */
export type Delivery = ItemOf<Answer<"webhooks.deliveries">>
/** A series of candles. */
export type CandleSeries = ItemOf<Answer<"candles.list">>
/** A series of candles with its oddities. */
export type SeriesFindings = Answer<"candles.inspect">
/** The outcome of an import that is not made. */
export type CandlePreview = Answer<"candles.preview">
