/**
 * Numbers in, numbers out: candles as columns, indicators, metrics, orders against candles and the
 * simulator.
 *
 * Loads no Effect.
 *
 * @since 0.1.0
 */
export {
  type Book,
  cancelOrder,
  type CandleInput,
  type EndedOrder,
  equityOf,
  type FundingPayment,
  type HeldPosition,
  type Leg,
  type LotState,
  makeMatchingAccount,
  makeOutcome,
  type MarketSpec,
  type MatchFill,
  type MatchingAccount,
  mergedPosition,
  type OrderReason,
  type OrderRequest,
  placeOrder
} from "./account.ts"
export { type AccountView, type BookView, viewAccount } from "./accountView.ts"
export { adoptHoldings } from "./adoptHoldings.ts"
export { dayMs, dayOf, hourMs, minuteMs } from "./calendar.ts"
export {
  type CandleFileAbout,
  type CandleFileContent,
  type CandleFileFailure,
  candleFileHeader,
  candleFileMagic,
  candleFileOffsets,
  candleFilePieces,
  readCandleFile,
  writeCandleFile
} from "./candleFile.ts"
export {
  beginCandleTable,
  type CandleTable,
  type CandleTableContent,
  type CandleTableOptions,
  type CandleTableReading
} from "./candleTable/CandleTable.ts"
export { readNumber, type TableDecimal } from "./candleTable/readNumber.ts"
export type { TableDateOrder, TableAmbiguity, TableTimeUnit } from "./candleTable/resolveTimes.ts"
export type { ColumnMap } from "./candleTable/tableLayout.ts"
export type { CandleField, TableFault } from "./candleTable/TableRow.ts"
export { zoneClock } from "./candleTable/zoneClock.ts"
export { crc32 } from "./crc32.ts"
export { migrateAccount } from "./migrateAccount.ts"
export { beginCheck, checkCandles, type CheckedCandles, findGaps } from "./checkCandles.ts"
export {
  type CandleColumns,
  columnNames,
  copyColumns,
  fromSharedColumns,
  indexAt,
  makeColumns,
  sliceColumns,
  toSharedColumns
} from "./columns.ts"
export type { CodeView, LotView } from "./codeView.ts"
export { type CandleDecision, decideOrders, exitOrder, type Instruction } from "./decide.ts"
export {
  type MatcherLot,
  type MatcherSnapshot,
  type NettingMode,
  SimulatedAccount
} from "./SimulatedAccount.ts"
export { type PackedMatcher, packMatcher, unpackMatcher } from "./matcherBytes.ts"
export { makeFastColumns } from "./fastColumns.ts"
export {
  type OutlierFindings,
  type CandleOutlier,
  type CandleRepeat,
  findOutliers
} from "./findOutliers.ts"
export { passesLimit, passesStop, slip, unitCost, unitProceeds } from "./fill.ts"
export { adxColumn, adxStep, adxWarmup } from "./indicators/adx.ts"
export { aroonColumn, aroonStep, aroonWarmup } from "./indicators/aroon.ts"
export { atrColumn, atrStep, atrWarmup } from "./indicators/atr.ts"
export { bollingerColumn, bollingerStep, bollingerWarmup } from "./indicators/bollinger.ts"
export { cciColumn, cciStep, cciWarmup } from "./indicators/cci.ts"
export { cmfColumn, cmfStep, cmfWarmup } from "./indicators/cmf.ts"
export { demaColumn, demaStep, demaWarmup } from "./indicators/dema.ts"
export { donchianColumn, donchianStep, donchianWarmup } from "./indicators/donchian.ts"
export { emaColumn, emaStep, emaWarmup, smoothedStep } from "./indicators/ema.ts"
export { heikinAshiColumn, heikinAshiStep, heikinAshiWarmup } from "./indicators/heikinAshi.ts"
export { hmaColumn, hmaStep, hmaWarmup } from "./indicators/hma.ts"
export { ichimokuColumn, ichimokuStep, ichimokuWarmup } from "./indicators/ichimoku.ts"
export { type ColumnsInto, type IndicatorStep, toColumns } from "./indicators/IndicatorStep.ts"
export { kamaColumn, kamaStep, kamaWarmup } from "./indicators/kama.ts"
export { keltnerColumn, keltnerStep, keltnerWarmup } from "./indicators/keltner.ts"
export {
  linearRegressionSlopeColumn,
  linearRegressionSlopeStep,
  linearRegressionSlopeWarmup
} from "./indicators/linearRegressionSlope.ts"
export { macdColumn, macdStep, macdWarmup } from "./indicators/macd.ts"
export { mfiColumn, mfiStep, mfiWarmup } from "./indicators/mfi.ts"
export {
  changeColumn,
  earlierStep,
  momentumColumn,
  momentumStep,
  momentumWarmup
} from "./indicators/momentum.ts"
export { natrColumn, natrStep, natrWarmup } from "./indicators/natr.ts"
export { obvColumn, obvStep, obvWarmup } from "./indicators/obv.ts"
export { rocColumn, rocStep, rocWarmup } from "./indicators/roc.ts"
export { rsiColumn, rsiStep, rsiWarmup } from "./indicators/rsi.ts"
export { sarColumn, sarStep, sarWarmup } from "./indicators/sar.ts"
export { smaColumn, smaStep, smaWarmup } from "./indicators/sma.ts"
export {
  standardDeviationColumn,
  standardDeviationStep,
  standardDeviationWarmup
} from "./indicators/standardDeviation.ts"
export {
  positionStep,
  stochasticColumn,
  stochasticStep,
  stochasticWarmup
} from "./indicators/stochastic.ts"
export { stochRsiColumn, stochRsiStep, stochRsiWarmup } from "./indicators/stochRsi.ts"
export { supertrendColumn, supertrendStep, supertrendWarmup } from "./indicators/supertrend.ts"
export { temaColumn, temaStep, temaWarmup } from "./indicators/tema.ts"
export { trixColumn, trixStep, trixWarmup } from "./indicators/trix.ts"
export { tsiColumn, tsiStep, tsiWarmup } from "./indicators/tsi.ts"
export { ulcerIndexColumn, ulcerIndexStep, ulcerIndexWarmup } from "./indicators/ulcerIndex.ts"
export { vortexColumn, vortexStep, vortexWarmup } from "./indicators/vortex.ts"
export { vwapColumn, vwapStep, vwapWarmup } from "./indicators/vwap.ts"
export { vwmaColumn, vwmaStep, vwmaWarmup } from "./indicators/vwma.ts"
export { williamsRColumn, williamsRStep, williamsRWarmup } from "./indicators/williamsR.ts"
export { weightedStep, wmaColumn, wmaStep, wmaWarmup } from "./indicators/wma.ts"
export { zScoreColumn, zScoreStep, zScoreWarmup } from "./indicators/zScore.ts"
export { moveProtection, protectEntry, raiseProtection } from "./heldProtection.ts"
export { decideLadder } from "./ladder/decideLadder.ts"
export { type ClosedPart, joinClosed } from "./ladder/joinParts.ts"
export {
  baseTag,
  type LadderMemory,
  makeLadderMemory,
  placedIndexOf,
  showLadderFill
} from "./ladder/LadderMemory.ts"
export { nettingOf } from "./ladder/LadderPlan.ts"
export type { LadderInstruction } from "./ladder/LadderView.ts"
export {
  applyFill,
  type RoundTrip,
  type ExitReason,
  makeLedger,
  type PositionState
} from "./ledger.ts"
export { alpha } from "./metrics/alpha.ts"
export { averageLoss } from "./metrics/averageLoss.ts"
export { averageWin } from "./metrics/averageWin.ts"
export {
  backtestOverfitting,
  type BacktestOverfitting,
  type BlockSums,
  overfittingBlocks,
  overfittingOf
} from "./metrics/backtestOverfitting.ts"
export { beta } from "./metrics/beta.ts"
export { cagr } from "./metrics/cagr.ts"
export { calmarRatio } from "./metrics/calmarRatio.ts"
export { captureRatio } from "./metrics/captureRatio.ts"
export { correlation } from "./metrics/correlation.ts"
export { dailyReturns, periodsPerYear } from "./metrics/dailyReturns.ts"
export { downsideDeviation } from "./metrics/downsideDeviation.ts"
export { drawdowns } from "./metrics/drawdowns.ts"
export { excessReturns } from "./metrics/excessReturns.ts"
export { expectancy } from "./metrics/expectancy.ts"
export { exposureTime } from "./metrics/exposureTime.ts"
export { gainToPain } from "./metrics/gainToPain.ts"
export { grossLoss } from "./metrics/grossLoss.ts"
export { grossProfit } from "./metrics/grossProfit.ts"
export { informationRatio } from "./metrics/informationRatio.ts"
export { kellyFraction } from "./metrics/kellyFraction.ts"
export { longestStreak } from "./metrics/longestStreak.ts"
export { maxDrawdown } from "./metrics/maxDrawdown.ts"
export { minimumBacktestLength } from "./metrics/minimumBacktestLength.ts"
export { minimumTrackRecord } from "./metrics/minimumTrackRecord.ts"
export { omegaRatio } from "./metrics/omegaRatio.ts"
export { payoffRatio } from "./metrics/payoffRatio.ts"
export {
  addPosition,
  makePositionSums,
  type PositionSums,
  sumPositions
} from "./metrics/positionSums.ts"
export { positivePeriods } from "./metrics/positivePeriods.ts"
export {
  deflatedSharpe,
  expectedMaximum,
  probabilisticSharpe,
  type SharpeSample
} from "./metrics/probabilisticSharpe.ts"
export { profitFactor } from "./metrics/profitFactor.ts"
export { recoveryFactor } from "./metrics/recoveryFactor.ts"
export { makeRunningEquity, observeCandle, type RunningEquity } from "./metrics/runningEquity.ts"
export { sharpeRatio } from "./metrics/sharpeRatio.ts"
export { sortinoRatio } from "./metrics/sortinoRatio.ts"
export { soundReturns } from "./metrics/soundReturns.ts"
export { sqn } from "./metrics/sqn.ts"
export { stability } from "./metrics/stability.ts"
export { tailRatio } from "./metrics/tailRatio.ts"
export { totalReturn } from "./metrics/totalReturn.ts"
export { trackingError } from "./metrics/trackingError.ts"
export { turnover } from "./metrics/turnover.ts"
export { ulcerIndex } from "./metrics/ulcerIndex.ts"
export { ulcerPerformanceIndex } from "./metrics/ulcerPerformanceIndex.ts"
export { valueAtRisk } from "./metrics/valueAtRisk.ts"
export { volatility } from "./metrics/volatility.ts"
export { winRate } from "./metrics/winRate.ts"
export {
  closeCandles,
  keepLots,
  openCandles,
  showEnded,
  showFee,
  showFill,
  showPayment
} from "./mirror.ts"
export { defineStrategy } from "./orders/defineStrategy.ts"
export { type AttachedExits, definedExits, type Protection } from "./protection.ts"
export { makeRandom, type Random } from "./random.ts"
export { bucketStart, resampleColumns } from "./resample.ts"
export {
  allowsEntry,
  endMismatch,
  haltForMismatch,
  isStale,
  type LimitChange,
  makeRiskGate,
  noRiskLimits,
  observeEquity,
  resumeRiskGate,
  type RiskGate,
  type RiskLimits
} from "./riskGate.ts"
export { type GateEvent, type GateReason, gateStates, riskGateMoves } from "./riskGateMachine.ts"
export { simulateEntriesAndExits } from "./signals/simulateEntriesAndExits.ts"
export type { Curves } from "./curves.ts"
export { type BarredCloses, simulate, type Simulation } from "./simulate.ts"
export type { LostOrder, WithdrawnOrder } from "./withdrawOrder.ts"
export { quantile, variance } from "./statistics.ts"
