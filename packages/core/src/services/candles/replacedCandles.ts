/**
 * Tells of the candles that runs and bots have pinned which of them were replaced since.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { CandlePin } from "../../domain/Pins.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { ReplacedCandles } from "../../domain/ReplacedCandles.ts"
import { finishedRunStatuses, type RunStatus } from "../../domain/RunMachine.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type Candles, countingSource } from "./Candles.ts"

interface World {
  readonly candles: Candles["Service"]
}

/** The pins whose series have another revision by now, or are gone. */
export const replacedSince = Effect.fnUntraced(function* (
  { candles }: World,
  accountId: string,
  pins: ReadonlyArray<CandlePin>,
  sentenceOf: (series: string, revision: number, kept: string) => string
): Effect.fn.Return<ReadonlyArray<ReplacedCandles>, Problem | StoreError> {
  if (pins.every(({ revision }) => revision === undefined)) return []
  const all = yield* candles.list(accountId)
  return pins.flatMap(({ revision, symbol, timeframe }) => {
    if (revision === undefined) return []
    const source = countingSource(all, accountId, { symbol, timeframe })
    const newest = source === null ? null : (source.revision ?? 1)
    if (newest === revision) return []
    const kept = newest === null ? "none is kept" : `revision ${newest} is kept`
    const sentence = sentenceOf(`${symbol} ${timeframe}`, revision, kept)
    return [{ symbol, timeframe, revision, newest_revision: newest, sentence }]
  })
})

const sentenceOfRun = (series: string, revision: number, kept: string): string =>
  `The candles of ${series} were replaced after this run, which went by revision ${revision}; ${kept}. The run can't be repeated on its own candles.`

const sentenceOfBot = (series: string, revision: number, kept: string): string =>
  `The candles of ${series} were replaced under this bot, which began with revision ${revision}; ${kept}.`

interface Pinned {
  readonly account_id: string
  readonly candles?: ReadonlyArray<CandlePin>
}

/** A run that is over with the candles that were replaced since. */
export const withReplaced =
  (world: World) =>
  <Run extends Pinned & { readonly status: RunStatus }>(
    run: Run
  ): Effect.Effect<Run, Problem | StoreError> => {
    const { account_id: accountId, candles = [], status } = run
    if (!finishedRunStatuses.includes(status)) return Effect.succeed(run)
    return Effect.map(replacedSince(world, accountId, candles, sentenceOfRun), (replaced_candles) =>
      replaced_candles.length === 0 ? run : { ...run, replaced_candles }
    )
  }

/** The candles that were replaced under a bot. */
export const replacedUnder = (
  world: World,
  { account_id, candles = [] }: Pinned
): Effect.Effect<ReadonlyArray<ReplacedCandles>, Problem | StoreError> =>
  replacedSince(world, account_id, candles, sentenceOfBot)
