/**
 * The kinds of results that a folder of other software's may hold. The folder's own lists give the
 * cases of each, and the tests here hold the engine to them.
 */
import { basename } from "node:path"
import {
  casesIn,
  idsIn,
  listsIn,
  pathsIn,
  readJson
} from "../../packages/engine/test/kernel/oracleFolder.ts"
import { readScripts } from "../../packages/engine/test/kernel/orders/readScripts.ts"
import {
  candleRuleReasons,
  publishedReasons,
  signalReason,
  type SourceSignals,
  unitReasons,
  unsayable
} from "../../packages/engine/test/research/sourceReasons.ts"

const kernel = "packages/engine/test/kernel"
const research = "packages/engine/test/research"
const indicatorFiles = [
  `${kernel}/indicators.test.ts`,
  "packages/engine/test/language/composedIndicators.test.ts"
]

interface Named {
  readonly id: string
}

const namesOf = (cases: ReadonlyArray<Named>): ReadonlyArray<string> => cases.map(({ id }) => id)

/** The tests that hold the simulator of backtests, sweeps and bots to a kind. */
export interface SimulatorTests {
  readonly files: ReadonlyArray<string>
  /** Why a case can't be said, or null where it can. */
  readonly reasonOf: (id: string, folder: string) => string | null
}

export interface Kind {
  /** Its folder. */
  readonly name: string
  readonly title: string
  readonly source: string
  /** The names of its lists. */
  readonly lists: string
  /** The tests that hold the cases: each names the case that it is of in its title. */
  readonly files: ReadonlyArray<string>
  /** Every case that is in a folder, used or not. */
  readonly casesOf: (folder: string) => ReadonlyArray<string>
  readonly simulator?: SimulatorTests
}

/** The options of a case of signals. */
const signalsOf = (id: string, folder: string): SourceSignals => {
  type Case = Named & { readonly input?: SourceSignals; readonly options?: SourceSignals }
  const one = [
    ...casesIn<Case>("signals_engine", folder),
    ...listsIn<Case>("signals_engine/runs", folder)
  ].find((candidate) => candidate.id === id)
  return one?.input ?? one?.options ?? {}
}

type Overfitting = Partial<Named> & { readonly pbo?: { readonly results: object } }

/** The deflated Sharpe ratio of a matrix of returns, and each number of blocks it is split in. */
const resultsOf = ({ id = "", pbo }: Overfitting): ReadonlyArray<string> =>
  pbo === undefined
    ? []
    : [`${id}/deflated_sharpe`, ...Object.keys(pbo.results).map((blocks) => `${id}/pbo/${blocks}`)]

/** The entries of the lists of a kind, which are lists themselves. */
const entriesIn = <A>(kind: string, folder: string): ReadonlyArray<A> =>
  listsIn<ReadonlyArray<A>>(kind, folder).flat()

type Metrics = Partial<Named> & { readonly returns?: object }

export const kinds: ReadonlyArray<Kind> = [
  {
    name: "orders",
    title: "Order cases and scripts",
    source: "backtesting.py",
    lists: "*.json or *.jsonl",
    files: [`${kernel}/orders/scripts.test.ts`],
    casesOf: (folder) =>
      pathsIn("orders", folder)
        .filter((path) => /\.jsonl?$/.test(path))
        .flatMap((path) => namesOf(readScripts(path))),
    simulator: {
      files: [`${kernel}/orderScripts.test.ts`, `${research}/sourceScripts.test.ts`],
      reasonOf: () => null
    }
  },
  {
    name: "backtests",
    title: "Whole backtests on real candles: trades, equity, statistics",
    source: "backtesting.py",
    lists: "*/case.json",
    files: [`${kernel}/orders/backtests.test.ts`],
    casesOf: (folder) => idsIn("backtests", folder),
    simulator: {
      files: [`${research}/sourceBacktests.test.ts`],
      reasonOf: (id) => unsayable[id] ?? null
    }
  },
  {
    name: "optimize",
    title: "Grids of parameters, every cell and the best",
    source: "backtesting.py",
    lists: "*/case.json",
    files: [`${kernel}/orders/grids.test.ts`],
    casesOf: (folder) => idsIn("optimize", folder),
    simulator: { files: [`${research}/sourceGrids.test.ts`], reasonOf: () => null }
  },
  {
    name: "candle_rules",
    title: "Candle rules: stops, decaying targets, trailing, waiting orders",
    source: "freqtrade's published tests, and a re-implementation",
    lists: "*.json with cases",
    files: [`${kernel}/candleRules.test.ts`],
    casesOf: (folder) => namesOf(casesIn("candle_rules", folder)),
    simulator: {
      files: [`${research}/sourceCandleRules.test.ts`],
      reasonOf: (id) => candleRuleReasons[id] ?? null
    }
  },
  {
    name: "signals_engine",
    title: "Signal arrays and runs on real candles",
    source: "vectorbt",
    lists: "*.json with cases, or runs/*.json",
    files: [`${kernel}/signals.test.ts`],
    casesOf: (folder) => [
      ...namesOf(casesIn("signals_engine", folder)),
      ...namesOf(listsIn("signals_engine/runs", folder))
    ],
    simulator: {
      files: [`${research}/sourceSignals.test.ts`],
      reasonOf: (id, folder) => signalReason(id, signalsOf(id, folder))
    }
  },
  {
    name: "grademark",
    title: "One unit at the next open: trades, optimisation, walk-forward",
    source: "grademark",
    lists: "*.json",
    files: [`${kernel}/grademark.test.ts`],
    casesOf: (folder) => namesOf(listsIn("grademark", folder)),
    simulator: {
      files: [`${research}/sourceUnits.test.ts`],
      reasonOf: (id) => unitReasons[id] ?? null
    }
  },
  {
    name: "indicators",
    title: "Indicator series, computed",
    source: "TA-Lib and closed forms",
    lists: "*.json",
    files: indicatorFiles,
    casesOf: (folder) =>
      entriesIn<{ readonly file: string }>("indicators", folder).map(({ file }) => file)
  },
  {
    name: "indicators_published",
    title: "Indicator series, published",
    source: "Stock.Indicators' baselines",
    lists: "*.json",
    files: indicatorFiles,
    casesOf: (folder) =>
      entriesIn<{ readonly file: string }>("indicators_published", folder).map(({ file }) =>
        basename(file)
      )
  },
  {
    name: "metrics",
    title: "Metrics of return series and of positions",
    source: "empyrical-reloaded, quantstats, backtesting.py",
    lists: "*.json",
    files: [`${kernel}/metrics.test.ts`],
    casesOf: (folder) => [
      ...pathsIn("metrics", folder)
        .filter((path) => path.endsWith(".json"))
        .filter((path) => readJson<Metrics>(path).returns !== undefined)
        .map((path) => basename(path, ".json")),
      ...namesOf(casesIn("metrics", folder))
    ]
  },
  {
    name: "overfitting",
    title: "Overfitting: deflated Sharpe ratios, splits in and out of sample, numbers of papers",
    source: "pypbo",
    lists: "*.json",
    files: [`${kernel}/backtestOverfitting.test.ts`],
    casesOf: (folder) => [
      ...listsIn<Overfitting>("overfitting", folder).flatMap(resultsOf),
      ...namesOf(casesIn("overfitting", folder))
    ]
  },
  {
    name: "published",
    title: "What other projects assert in their own tests",
    source: "backtesting.py, LEAN",
    lists: "*.json with cases",
    files: [`${kernel}/orders/published.test.ts`, `${kernel}/orders/lean.test.ts`],
    casesOf: (folder) => namesOf(casesIn("published", folder)),
    simulator: {
      files: [`${research}/sourcePublished.test.ts`],
      reasonOf: (id) => publishedReasons[id] ?? null
    }
  },
  {
    name: "resample",
    title: "Longer candles",
    source: "pandas",
    lists: "*.json with cases",
    files: [`${kernel}/resample.test.ts`],
    casesOf: (folder) => namesOf(casesIn("resample", folder))
  }
]
