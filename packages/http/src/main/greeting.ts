/**
 * The text that the server prints when it is ready.
 *
 * @since 0.1.0
 */
import type { CandleSeries } from "@candlewick/core"
import { resolve } from "node:path"
import type { StoreSetting } from "./settings.ts"

/** The facts of a greeting. */
export interface GreetingInput {
  readonly host: string
  readonly port: number
  /** The key that was just made, or null where there was one. */
  readonly secret: string | null
  readonly series: ReadonlyArray<CandleSeries>
  readonly store: StoreSetting
}

/** Describes the store and the failures that it survives. Shows no password. */
export const storeText = (store: StoreSetting): string => {
  switch (store.type) {
    case "memory":
      return "in memory; everything is gone when this process ends"
    case "embedded":
      return `embedded PostgreSQL in ${resolve(store.directory)}; survives crashes and power loss`
    case "postgres":
      return `PostgreSQL at ${new URL(store.url).host}`
  }
}

const shownHost = (host: string): string =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host

/** The address of the server, its key, its data, and a first request to try. */
export const greeting = ({ host, port, secret, series, store }: GreetingInput): string => {
  const url = `http://${shownHost(host)}:${port}`
  const candles = series
    .map(
      ({ symbol, timeframe, candle_count, synthetic }) =>
        `${symbol} ${timeframe} (${candle_count}${synthetic ? ", synthetic" : ""})`
    )
    .join(", ")
  return [
    "",
    `Candlewick is ready at ${url} (API at /api/v1 and /v1, docs at ${url}/docs)`,
    "",
    secret === null
      ? "API key:  the one that was set or made before"
      : `API key:  ${secret}   (shown only now)`,
    `Store:    ${storeText(store)}`,
    `Candles:  ${candles}`,
    "",
    "Try, in another terminal:",
    "",
    `  export KEY=${secret ?? "<your key>"}`,
    `  curl -s ${url}/api/v1/mix/generate -H "Authorization: Bearer $KEY" \\`,
    `    -H "Content-Type: application/json" -H "Prefer: wait=60" \\`,
    `    -d '{"objective":"sharpe","risk_tolerance":"medium","timeframe":"1h"}'`,
    "",
    "The README goes on from there: backtest it, optimise it, run it as a bot, receive its events.",
    ""
  ].join("\n")
}
