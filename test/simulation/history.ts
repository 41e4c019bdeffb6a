/**
 * Histories of all kinds, as plain data that a seed gives.
 */
import { makeRandom } from "@candlewick/core/kernel"
import { type AccountHistory, drawAccountHistory } from "./accounts/accountHistory.ts"
import { drawLiveHistory } from "./live/drawLive.ts"
import type { LiveHistory } from "./live/liveHistory.ts"
import { type BotHistory, drawBotHistory } from "./botHistory.ts"

/** A history of bots on paper, of an exchange account alone, or of bots that trade live. */
export type History = BotHistory | AccountHistory | LiveHistory

/** Seeds that begin so are those of live bots. */
export const live = "live "

/** The history of a seed; one in five is of live bots. */
export const drawHistory = (seed: string): History => {
  if (seed.startsWith(live)) return drawLiveHistory(seed.slice(live.length))
  const drawn = makeRandom(`${seed} kind`).next()
  if (drawn < 0.4) return drawBotHistory(seed)
  return drawn < 0.8 ? drawAccountHistory(seed) : drawLiveHistory(seed)
}

/** The seed that gives a history. */
export const seedOf = ({ kind, seed }: History): string => (kind === "live" ? live + seed : seed)

const partsOf = (history: History): ReadonlyArray<string> =>
  history.kind !== "account"
    ? [
        `${history.candleCount} candles, one each ${history.tellMs} ms`,
        ...(history.kind === "live"
          ? [`a ${history.clock ?? "replay"} clock, an account: ${JSON.stringify(history.terms)}`]
          : []),
        ...history.bots.map(({ strategy }, at) => `bot ${at}: ${strategy}`)
      ]
    : [`an exchange account: ${JSON.stringify(history.exchange)}`]

/** A history in words. */
export const tellHistory = (history: History): string =>
  [
    `seed ${history.seed}`,
    ...partsOf(history),
    ...history.events.map(({ afterMs, do: name, process, ...rest }) => {
      const fields = Object.entries(rest).map(([field, value]) => `${field} ${String(value)}`)
      return `after ${afterMs} ms, process ${process}: ${[name, ...fields].join(", ")}`
    })
  ].join("\n")
