/**
 * Records the stretches that a run will judge, and counts the earlier judgements.
 *
 * @since 0.1.0
 */
import { timeframeMs, toTimestamp } from "@candlewick/engine"
import { Effect } from "effect"
import { type JudgedStretch, sentenceOfJudged } from "../../domain/JudgedStretch.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { JudgementStore } from "../../ports/JudgementStore.ts"
import type { RunRef } from "./RunEngine.ts"
import type { RunCandles } from "./runSetting.ts"

/** The stretches of a run's candles, from `sinceMs` on where that is later than their beginning. */
export const judgeStretches = (
  { judgements }: { readonly judgements: JudgementStore["Service"] },
  { accountId, id }: RunRef,
  { datasets, timeframe }: Pick<RunCandles, "datasets" | "timeframe">,
  sinceMs = Number.NEGATIVE_INFINITY
): Effect.Effect<ReadonlyArray<JudgedStretch>, StoreError> =>
  Effect.forEach(datasets, ({ columns: { time }, from, market: { symbol } }) => {
    const fromMs = Math.max(sinceMs, time[from]!)
    const toMs = time.at(-1)! + timeframeMs(timeframe)
    return Effect.map(
      judgements.keep(accountId, id, { symbol, timeframe, fromMs, toMs }),
      (earlier_count): JudgedStretch => ({
        symbol,
        timeframe,
        from: toTimestamp(fromMs),
        to: toTimestamp(toMs),
        earlier_count,
        sentence: sentenceOfJudged({ symbol, timeframe, earlier_count })
      })
    )
  })
