/**
 * Finds the pinned candles of runs and bots that were replaced since.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { CandleSeries } from "../../domain/Candle.ts"
import { sharedOwner } from "../../domain/Market.ts"
import type { CandlePin } from "../../domain/Pins.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { ReplacedCandles } from "../../domain/ReplacedCandles.ts"
import { finishedRunStatuses, type RunStatus } from "../../domain/RunMachine.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type Candles, countingSource } from "./Candles.ts"

interface Services {
  readonly candles: Candles["Service"]
}

const seriesOf = ({ owner, timeframe }: Pick<CandleSeries, "owner" | "timeframe">): string =>
  ` of ${owner === sharedOwner ? "the shared" : "the account's own"} ${timeframe} series`

/** Whether a pin's candles came from another series than the one that counts now. */
const isOther = ({ owner, resampled_from, timeframe }: CandlePin, newest: CandleSeries): boolean =>
  (owner !== undefined && owner !== newest.owner) ||
  (resampled_from !== undefined && (resampled_from ?? timeframe) !== newest.timeframe)

/** Which revision was pinned, and which counts now; null where these are the same candles. */
const compared = (pin: CandlePin, revision: number, newest: CandleSeries | null) => {
  if (newest === null) return { before: `revision ${revision}`, now: "none is kept" }
  const { hash, owner = newest.owner, resampled_from, timeframe } = pin
  if (newest.timeframe === timeframe && newest.hash === hash) return null
  const number = newest.revision ?? 1
  if (isOther(pin, newest)) {
    const from = seriesOf({ owner, timeframe: resampled_from ?? timeframe })
    return {
      before: `revision ${revision}${from}`,
      now: `revision ${number}${seriesOf(newest)} counts now`
    }
  }
  return number === revision
    ? null
    : { before: `revision ${revision}`, now: `revision ${number} is kept` }
}

/** The pins whose candles are gone, or belong to another revision or another series by now. */
export const replacedSince = Effect.fnUntraced(function* (
  { candles }: Services,
  accountId: string,
  pins: ReadonlyArray<CandlePin>,
  sentenceOf: (series: string, before: string, now: string) => string
): Effect.fn.Return<ReadonlyArray<ReplacedCandles>, Problem | StoreError> {
  if (pins.every(({ revision }) => revision === undefined)) return []
  const all = yield* candles.list(accountId)
  return pins.flatMap((pin) => {
    const { revision, symbol, timeframe } = pin
    if (revision === undefined) return []
    const newest = countingSource(all, accountId, { symbol, timeframe })
    const other = compared(pin, revision, newest)
    if (other === null) return []
    const newest_revision = newest === null ? null : (newest.revision ?? 1)
    const sentence = sentenceOf(`${symbol} ${timeframe}`, other.before, other.now)
    return [{ symbol, timeframe, revision, newest_revision, sentence }]
  })
})

const sentenceOfRun = (series: string, before: string, now: string): string =>
  `The candles of ${series} were replaced after this run, which went by ${before}; ${now}. The run can't be repeated on its own candles.`

const sentenceOfBot = (series: string, before: string, now: string): string =>
  `The candles of ${series} were replaced under this bot, which began with ${before}; ${now}.`

interface Pinned {
  readonly account_id: string
  readonly candles?: ReadonlyArray<CandlePin>
}

/** A run that is over with the candles that were replaced since. */
export const withReplaced =
  (services: Services) =>
  <Run extends Pinned & { readonly status: RunStatus }>(
    run: Run
  ): Effect.Effect<Run, Problem | StoreError> => {
    const { account_id: accountId, candles = [], status } = run
    if (!finishedRunStatuses.includes(status)) return Effect.succeed(run)
    return Effect.map(
      replacedSince(services, accountId, candles, sentenceOfRun),
      (replaced_candles) => (replaced_candles.length === 0 ? run : { ...run, replaced_candles })
    )
  }

/** The candles that were replaced under a bot. */
export const replacedUnder = (
  services: Services,
  { account_id, candles = [] }: Pinned
): Effect.Effect<ReadonlyArray<ReplacedCandles>, Problem | StoreError> =>
  replacedSince(services, account_id, candles, sentenceOfBot)
