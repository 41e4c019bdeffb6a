/**
 * Walk-forward: again and again the parameters are chosen on one stretch and used on the next.
 *
 * All windows lie before the candles out of sample, which stay unread by it.
 *
 * @since 0.1.0
 */
import { scoreOf, toTimestamp } from "@candlewick/engine"
import { Effect } from "effect"
import type { WalkForwardReport, WalkForwardRequest } from "../../../domain/Optimization.ts"
import type { RunHandle } from "../RunSource.ts"
import { splitTime, toMeasured } from "../runSetting.ts"
import type { TaskSetting } from "../workers/tasks.ts"
import type { TaskFailed } from "../workers/WorkerPool.ts"
import type { SearchPlan, SearchServices } from "./planSearch.ts"
import { figureOf } from "./trialTable.ts"
import { tryPoints } from "./tryPoints.ts"
import { indexAt } from "@candlewick/engine/kernel"

/** The share of the candles in sample that the first window chooses on. */
export const trainRateDefault = 0.5

interface Stretch {
  readonly from: number
  readonly to: number
}

interface Window {
  readonly train: Stretch
  readonly test: Stretch
}

/** The windows as shares of the candles in sample; each test begins where the last one ended. */
export const windowsOf = ({
  mode,
  train_rate: rate = trainRateDefault,
  windows: count
}: WalkForwardRequest): ReadonlyArray<Window> =>
  Array.from({ length: count }, (_, index) => {
    const [from, to] = [index, index + 1].map((at) => rate + ((1 - rate) * at) / count)
    return {
      train: { from: mode === "anchored" ? 0 : from! - rate, to: from! },
      test: { from: from!, to: to! }
    }
  })

/** The part of the candles of a plan between two shares of those in sample. */
const settingOf = (plan: SearchPlan, { from, to }: Stretch): TaskSetting => {
  const { before, candles, config } = plan
  const timeAt = (share: number) => splitTime(candles, share * config.in_sample_rate)
  const [start, end] = [timeAt(from), timeAt(to)]
  return {
    ...before,
    markets: before.markets.map((market, index) => {
      const { columns } = candles.datasets[index]!
      return {
        ...market,
        from: Math.max(market.from, indexAt(columns, start)),
        to: Math.min(market.to, indexAt(columns, end))
      }
    })
  }
}

/** The best point on a stretch; none where no trial was eligible, or the run was cancelled. */
const chooseOn = Effect.fnUntraced(function* (
  { pool }: SearchServices,
  plan: SearchPlan,
  handle: RunHandle,
  setting: TaskSetting,
  positionsMin: number,
  onShare: (share: number) => Effect.Effect<void>
): Effect.fn.Return<
  { readonly index: number; readonly isComplete: boolean; readonly objective: number | null },
  TaskFailed
> {
  const { config, definition, points } = plan
  let [best, index, done] = [Number.NEGATIVE_INFINITY, -1, 0]
  let objective: number | null = null
  const task = { ...setting, type: "trials", definition, points, blockCount: 0 } as const
  const isComplete = yield* tryPoints(pool, handle, task, (first, results) => {
    for (const [offset, result] of results.entries()) {
      if (result === null) continue
      done++
      const value = figureOf(result, config.objective)
      const score = scoreOf(config.objective, value)
      const at = first + offset
      const isEligible = value !== null && (figureOf(result, "trades") ?? 0) >= positionsMin
      // Chunks come in any order: of equal trials it is the one that was proposed first.
      if (!isEligible || score < best || (score === best && at > index)) continue
      ;[best, index, objective] = [score, at, value]
    }
    return onShare(done / points.length)
  })
  return { index, isComplete, objective }
})

type WindowReport = WalkForwardReport["windows"][number]

const spanOf = ({ markets }: TaskSetting, plan: SearchPlan) => {
  const times = markets.map(({ from, to }, index) => {
    const { time } = plan.candles.datasets[index]!.columns
    return [time[from]!, time[Math.max(from, to - 1)]!] as const
  })
  const first = Math.min(...times.map(([from]) => from))
  const last = Math.max(...times.map(([, to]) => to))
  return { from: toTimestamp(first), last_candle_at: toTimestamp(last) }
}

/** The joint result of the windows. */
const summarize = (
  { mode, train_rate: rate = trainRateDefault }: WalkForwardRequest,
  windows: ReadonlyArray<WindowReport>
): WalkForwardReport => {
  const returns = windows.flatMap(({ out_of_sample: tested }) => {
    const value = tested?.metrics["total_return"]
    return value === null || value === undefined ? [] : [value]
  })
  const pairs = windows.flatMap(
    ({ objective_in_sample: inside, objective_out_of_sample: outside }) =>
      inside === null || outside === null ? [] : [[inside, outside] as const]
  )
  const insides = pairs.reduce((sum, [inside]) => sum + inside, 0)
  const outsides = pairs.reduce((sum, [, outside]) => sum + outside, 0)
  return {
    mode,
    train_rate: rate,
    windows,
    total_return:
      returns.length === 0 ? null : returns.reduce((all, one) => all * (1 + one), 1) - 1,
    profitable_rate:
      returns.length === 0 ? null : returns.filter((value) => value > 0).length / returns.length,
    retained_rate: insides > 0 ? outsides / insides : null
  }
}

/** The walk in a sentence, where it warns. */
export const walkWarnings = ({
  total_return: total,
  windows
}: WalkForwardReport): ReadonlyArray<string> => {
  if (total === null || total >= 0) return []
  const isGain = ({ out_of_sample: tested }: WindowReport) =>
    (tested?.metrics["total_return"] ?? 0) > 0
  const lost = `${(-total * 100).toFixed(1)} %`
  return [
    `Walking forward lost ${lost} in all: ${windows.filter(isGain).length} of ${windows.length} windows made money.`
  ]
}

/** Walks forward through the candles in sample; null where the run is cancelled before the end. */
export const walkForward = Effect.fnUntraced(function* (
  services: SearchServices,
  plan: SearchPlan,
  request: WalkForwardRequest,
  handle: RunHandle
): Effect.fn.Return<WalkForwardReport | null, TaskFailed> {
  const { config, definition, points } = plan
  const { objective, timeframe } = config
  const reports: Array<WindowReport> = []
  for (const { test, train } of windowsOf(request)) {
    const [trained, tested] = [settingOf(plan, train), settingOf(plan, test)]
    // A shorter stretch has fewer positions.
    const positionsMin = Math.ceil(config.min_positions * (train.to - train.from))
    const number = reports.length
    const found = yield* chooseOn(services, plan, handle, trained, positionsMin, (share) =>
      handle.report(0.45 + (0.45 * (number + share)) / request.windows, "search")
    )
    if (!found.isComplete) return null
    const values = points[found.index]
    const measured =
      values === undefined
        ? null
        : yield* services.pool.run({ ...tested, type: "measure", definition, values })
    const outside = measured === null ? null : toMeasured(measured, timeframe)
    reports.push({
      trained: spanOf(trained, plan),
      tested: spanOf(tested, plan),
      trial_index: values === undefined ? null : found.index,
      parameters: values ?? null,
      objective_in_sample: found.objective,
      objective_out_of_sample: outside?.metrics[objective] ?? null,
      out_of_sample: outside
    })
  }
  return summarize(request, reports)
})
