/**
 * Shows the effect of an import, and keeps nothing.
 *
 * @since 0.1.0
 */
import type { Fault } from "@candlewick/engine"
import type { CandleColumns } from "@candlewick/engine/kernel"
import { Effect, Result } from "effect"
import type { Candle } from "../../domain/Candle.ts"
import type { CandleFindings, CandlePreview } from "../../domain/CandleReading.ts"
import type { CandleImport } from "../../domain/operations/candleOperations.ts"
import { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { CandleStore } from "../../ports/CandleStore.ts"
import { describeFindings } from "./describeFindings.ts"
import { decideImport, refuseGenerated } from "./importCandles.ts"
import { candleOf, soundCandles } from "./soundCandles.ts"

interface Ports {
  readonly store: CandleStore["Service"]
}

const shownMax = 3

const isWhole = (candle: Candle): boolean => Object.values(candle).every(Number.isFinite)

/** Candles as they were read; of a row that is at fault there may be none. */
const shown = (columns: CandleColumns, from: number, to: number): ReadonlyArray<Candle> =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => candleOf(columns, from + at)).filter(
    isWhole
  )

const faultsOf = ({ detail, errors = [], code }: Problem): ReadonlyArray<Fault> =>
  errors.length > 0 ? errors : [{ pointer: "#", code, message: detail }]

/** The effect of an import of these candles, of whose rows these faults are known. */
export const previewCandles = Effect.fn("Candles.preview")(function* (
  ports: Ports,
  accountId: string,
  request: CandleImport,
  faults: ReadonlyArray<Fault> = []
): Effect.fn.Return<CandlePreview, StoreError> {
  const { columns, key, reading = null } = request
  let findings: CandleFindings | null = null
  const deciding = Effect.gen(function* () {
    if (faults.length > 0) {
      return yield* new Problem({ code: "validation_failed", detail: "", errors: faults })
    }
    yield* refuseGenerated(request)
    const sound = yield* soundCandles(request)
    findings = yield* describeFindings(sound.columns, key.timeframe)
    return yield* decideImport(ports, accountId, request, sound)
  })
  const decided = yield* deciding.pipe(
    Effect.map((found) => Result.succeed(found)),
    Effect.catchTag("Problem", (refusal) => Effect.succeed(Result.fail(faultsOf(refusal))))
  )
  const last = columns.length
  return {
    symbol: key.symbol,
    timeframe: key.timeframe,
    reading,
    candle_count: columns.length,
    first: shown(columns, 0, Math.min(shownMax, last)),
    last: shown(columns, Math.max(shownMax, last - shownMax), last),
    findings,
    would: Result.isSuccess(decided) ? decided.success.outcome : null,
    errors: Result.isSuccess(decided) ? [] : decided.failure
  }
})
