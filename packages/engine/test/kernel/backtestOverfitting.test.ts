/**
 * How much of the best of many backtests is luck, by hand and against other software.
 *
 * The matrices and the papers' numbers are read from the folder in CANDLEWICK_ORACLES.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { backtestOverfitting } from "../../src/kernel/metrics/backtestOverfitting.ts"
import { minimumBacktestLength } from "../../src/kernel/metrics/minimumBacktestLength.ts"
import { minimumTrackRecord } from "../../src/kernel/metrics/minimumTrackRecord.ts"
import {
  deflatedSharpe,
  expectedMaximum,
  probabilisticSharpe
} from "../../src/kernel/metrics/probabilisticSharpe.ts"
import {
  arithmeticMean,
  quantile,
  standardDeviation,
  variance
} from "../../src/kernel/statistics.ts"
import { correctedExcess, correctedSkewness } from "./correctedMoments.ts"
import { casesIn, leaveOut, listsIn, noCases, oracles } from "./oracleFolder.ts"
import { readTable } from "./readTable.ts"

const assertClose = (
  seen: ArrayLike<number>,
  wanted: ReadonlyArray<number>,
  what: string
): void => {
  assert.strictEqual(seen.length, wanted.length, what)
  wanted.forEach((value, at) => {
    assert.closeTo(seen[at]!, value, 1e-12 * Math.max(1, Math.abs(value)), `${what} ${at}`)
  })
}

const flat = (count: number, value: number) => Array<number>(count).fill(value)

describe("backtest overfitting", () => {
  it("chooses in each half, and looks at the choice's rank in the other", () => {
    const rising = [0.01, 0.03, -0.01, -0.03]
    const late = [0, 0.01, 0.01, 0.02]
    const seen = backtestOverfitting([rising, late], 2)
    // Each is the best of one half and the worse of the other.
    assertClose(seen.logits, [Math.log(1 / 2), Math.log(1 / 2)], "logits")
    assert.strictEqual(seen.probability, 1)
    // Only the first loses there: its ratios are √2 and -√2, the other's 3/√2 and 1/√2.
    assert.strictEqual(seen.lossProbability, 0.5)
    const { slope, intercept, rSquared } = seen.degradation
    assertClose([slope, intercept, rSquared], [3, -4 * Math.SQRT2, 1], "degradation")
  })

  it("finds none where one trial is the best all along", () => {
    const trials = [0, 0.01, -0.01].map((more) =>
      [1, -1, 2, -2, 1, -2, 2, -1].map((value) => value / 100 + more)
    )
    const { logits, lossProbability, probability } = backtestOverfitting(trials, 4)
    assert.strictEqual(probability, 0)
    assert.strictEqual(lossProbability, 0)
    assertClose(logits, flat(6, Math.log(3)), "logits")
  })

  it("puts trials that are all alike at the median, which is not better", () => {
    const trial = [0.01, 0.03, -0.01, -0.03, 0.02, 0]
    const { logits, probability } = backtestOverfitting([trial, trial, trial], 6)
    assertClose(logits, flat(20, 0), "logits")
    assert.strictEqual(probability, 1)
  })

  it("counts a trial that did nothing as neither winning nor losing", () => {
    const nothing = flat(8, 0)
    const losing = [-1, -2, -1, -3, -2, -1, -3, -1]
    const seen = backtestOverfitting([losing, nothing], 4)
    assertClose(seen.logits, flat(6, Math.log(2)), "logits")
    assert.strictEqual(seen.lossProbability, 0)
    assert.isNaN(seen.degradation.slope)
    assert.isNaN(seen.degradation.intercept)
    assert.isNaN(seen.degradation.rSquared)
  })

  it("leaves out the first returns where blocks leave some over", () => {
    const trials = [
      [0.01, 0.03, -0.01, -0.03],
      [0, 0.01, 0.01, 0.02]
    ]
    const more = [[9, ...trials[0]!], Float64Array.of(-9, ...trials[1]!)]
    assert.deepStrictEqual(backtestOverfitting(more, 2), backtestOverfitting(trials, 2))
  })

  it("splits in the order of the blocks that are in sample", () => {
    const swings = (means: ReadonlyArray<number>) => means.flatMap((one) => [one + 10, one - 10])
    const { logits } = backtestOverfitting([swings([5, 2, -1, -3]), swings([0, 0, 0, 0])], 4)
    // Blocks 0 and 3, and 1 and 2, are the halves in both of which the first one wins.
    const [worse, better] = [Math.log(1 / 2), Math.log(2)]
    assertClose(logits, [worse, worse, better, better, worse, worse], "logits")
  })

  it.each([
    ["an odd number of blocks", [flat(9, 0), flat(9, 1)], 3],
    ["too many blocks", [flat(99, 0), flat(99, 1)], 26],
    ["no blocks", [flat(9, 0), flat(9, 1)], 0],
    ["one trial", [flat(9, 0)], 2],
    ["trials of two lengths", [flat(9, 0), flat(8, 1)], 2],
    ["fewer returns than blocks", [flat(5, 0), flat(5, 1)], 6],
    ["halves of one return", [flat(3, 0), flat(3, 1)], 2],
    ["a return that is none", [flat(9, 0), flat(9, Number.NaN)], 2]
  ] satisfies ReadonlyArray<readonly [string, ReadonlyArray<ReadonlyArray<number>>, number]>)(
    "refuses %s",
    (_, trials, blocks) => {
      assert.throws(() => backtestOverfitting(trials, blocks), RangeError)
    }
  )
})

interface Result {
  readonly combinations: number
  readonly rows_used: number
  readonly rows_dropped_from_start: number
  readonly pbo: number
  readonly prob_oos_loss: number
  readonly logit_mean: number
  readonly logit_median: number
  readonly degradation_slope: number
  readonly degradation_intercept: number
  readonly degradation_r2: number
  /** Not where there are very many. */
  readonly logits?: ReadonlyArray<number>
}

interface Matrix {
  readonly id: string
  /** Not in a list of examples. */
  readonly matrix?: { readonly file: string; readonly rows: number; readonly columns: number }
  readonly deflated_sharpe: {
    readonly best_column: number
    readonly sharpe_per_period: ReadonlyArray<number>
    readonly best_sharpe: number
    readonly sharpe_std_across_trials_ddof1: number
    readonly expected_max_of_N_normals: number
    readonly benchmark_sharpe_sr0: number
    readonly T: number
    readonly N: number
    readonly skew: number
    readonly kurtosis_non_excess: number
    readonly dsr: number
  }
  readonly pbo: { readonly results: Readonly<Record<string, Result>> }
}

/** The matrices of the folder in CANDLEWICK_ORACLES. */
const matrices = listsIn<Matrix>("overfitting").filter(({ matrix }) => matrix !== undefined)

const columnsOf = ({
  columns,
  file
}: NonNullable<Matrix["matrix"]>): ReadonlyArray<Float64Array> => {
  const column = readTable(join(oracles, file))
  return Array.from({ length: columns }, (_, at) => column(`c${at}`))
}

const checkSharpe = (columns: ReadonlyArray<Float64Array>, one: Matrix): void => {
  const wanted = one.deflated_sharpe
  const ratios = columns.map((column) => arithmeticMean(column) / standardDeviation(column))
  assertClose(ratios, wanted.sharpe_per_period, "Sharpe ratio")
  const sharpe = Math.max(...ratios)
  const chosen = ratios.indexOf(sharpe)
  assert.strictEqual(chosen, wanted.best_column, "best column")
  const best = columns[chosen]!
  assert.deepStrictEqual([best.length, columns.length], [wanted.T, wanted.N])
  const deviation = standardDeviation(ratios)
  const kurtosisRaw = correctedExcess(best) + 3
  const sample = { sharpe, count: best.length, skewness: correctedSkewness(best), kurtosisRaw }
  const dsr = deflatedSharpe(sample, columns.length, variance(ratios))
  const maximum = expectedMaximum(columns.length)
  assertClose([sharpe], [wanted.best_sharpe], "best ratio")
  assertClose([deviation], [wanted.sharpe_std_across_trials_ddof1], "deviation of the ratios")
  assertClose([maximum], [wanted.expected_max_of_N_normals], "expected maximum")
  assertClose([deviation * maximum], [wanted.benchmark_sharpe_sr0], "ratio of luck")
  assertClose([sample.skewness], [wanted.skew], "skewness")
  assertClose([kurtosisRaw], [wanted.kurtosis_non_excess], "kurtosis")
  assertClose([dsr], [wanted.dsr], "deflated Sharpe ratio")
}

const checkOverfitting = (
  columns: ReadonlyArray<Float64Array>,
  blocks: number,
  wanted: Result
): void => {
  const seen = backtestOverfitting(columns, blocks)
  const { intercept, rSquared, slope } = seen.degradation
  assert.strictEqual(seen.logits.length, wanted.combinations, "splits")
  assertClose([seen.probability], [wanted.pbo], "probability")
  assertClose([seen.lossProbability], [wanted.prob_oos_loss], "probability of a loss")
  assertClose([arithmeticMean(seen.logits)], [wanted.logit_mean], "mean logit")
  assertClose([quantile(seen.logits, 0.5)], [wanted.logit_median], "median logit")
  assertClose([slope], [wanted.degradation_slope], "slope")
  assertClose([intercept], [wanted.degradation_intercept], "intercept")
  assertClose([rSquared], [wanted.degradation_r2], "R²")
  if (wanted.logits !== undefined) assertClose(seen.logits, wanted.logits, "logit")
  // The rows left over are not looked at.
  const { rows_dropped_from_start: dropped, rows_used: used } = wanted
  const rest = columns.map((column) => column.subarray(dropped))
  assert.strictEqual(rest[0]!.length, used, "rows")
  assert.deepStrictEqual(backtestOverfitting(rest, blocks), seen)
}

describe("overfitting as other software finds it", () => {
  if (matrices.length === 0) {
    it("is as likely", (ctx) => ctx.skip(noCases("overfitting")))
    return
  }
  for (const one of matrices) {
    const name = one.id
    const columns = columnsOf(one.matrix!)

    it(`deflates the best Sharpe ratio of ${name}/deflated_sharpe`, () => {
      assert.strictEqual(columns[0]!.length, one.matrix!.rows)
      checkSharpe(columns, one)
    })

    for (const [blocks, wanted] of Object.entries(one.pbo.results)) {
      it(`finds the overfitting of ${name}/pbo/${blocks}`, () => {
        checkOverfitting(columns, Number(blocks), wanted)
      })
    }
  }
})

type Inputs = Readonly<Record<string, number>>

const given = (inputs: Inputs, name: string): number => {
  const value = inputs[name]
  assert.isNumber(value, name)
  return value!
}

const sampleOf = (inputs: Inputs) => ({
  sharpe: given(inputs, "sharpe"),
  skewness: given(inputs, "skew"),
  kurtosisRaw: given(inputs, "kurtosis")
})

/** The functions that the papers' examples name. */
const functions: Readonly<Record<string, (inputs: Inputs) => number>> = {
  psr: (inputs) =>
    probabilisticSharpe(
      { ...sampleOf(inputs), count: given(inputs, "T") },
      given(inputs, "target")
    ),
  dsr: (inputs) =>
    deflatedSharpe(
      { ...sampleOf(inputs), count: given(inputs, "T") },
      given(inputs, "N"),
      given(inputs, "sharpe_std") ** 2
    ),
  expected_max: (inputs) => expectedMaximum(given(inputs, "N")),
  "min_track_record_length/250": (inputs) =>
    minimumTrackRecord(sampleOf(inputs), given(inputs, "prob"), given(inputs, "target")) / 250,
  min_backtest_length_years: (inputs) =>
    minimumBacktestLength(given(inputs, "N"), given(inputs, "sharpe"))
}

describe("the numbers of papers on overfitting", () => {
  const cases = casesIn<{
    readonly id: string
    readonly fn: string
    readonly inputs: Inputs
    readonly expected: number
  }>("overfitting")
  if (cases.length === 0) {
    it("are ours", (ctx) => ctx.skip(noCases("overfitting")))
  }
  for (const { expected, fn, id, inputs } of cases) {
    it(`are ours in ${id}`, (ctx) => {
      const compute = functions[fn]
      if (compute === undefined) return leaveOut(ctx, "unknown", `${fn} isn't known here`)
      assertClose([compute(inputs)], [expected], fn)
    })
  }
})
