/**
 * The changes of cash beside fills: those of a bot, read from its log, and those of its backtest.
 *
 * @since 0.1.0
 */
import { fromTimestamp } from "@candlewick/engine"
import type { Simulation } from "@candlewick/engine/kernel"
import type { Charge } from "../../domain/expected/Comparison.ts"
import type { LogEntry } from "../../domain/LogEntry.ts"

/** The lines of such changes. */
const causeOf: Readonly<Record<string, Charge["cause"]>> = {
  "funding.settled": "fee",
  "fee.priced": "fee",
  "reconcile.accepted": "command"
}

/** The funding of the backtest, as of its first fill. */
export const chargesOf = (
  simulation: Pick<Simulation, "fills" | "ledger"> | null
): ReadonlyArray<Charge> => {
  const first = simulation?.fills[0]
  if (first === undefined || simulation?.ledger.fundingPaid === 0) return []
  return [{ cause: "fee", time: first.time }]
}

/** Reads the changes from lines, oldest first. Lines of earlier versions name no candle. */
export const readCharges = (
  lines: ReadonlyArray<Pick<LogEntry, "data" | "event">>
): ReadonlyArray<Charge> =>
  lines.flatMap(({ data, event }) => {
    const cause = causeOf[event]
    const time = data["candle_time"]
    if (cause === undefined || typeof time !== "string") return []
    return [{ cause, time: fromTimestamp(time) }]
  })
