/**
 * What rows 8 and 9 start: reads candles, sweeps pairs of averages, says what came out and how much
 * memory the process has ever had.
 */
import { peakMemoryMb } from "./peakMemoryMb.ts"
import { readColdCandles } from "./coldCandles.ts"
import { fastEngine } from "./fastEngine.ts"
import { crossingRuns, periods } from "./work/crossing.ts"
import { atClose } from "./work/settings.ts"

const [path, fastCount, slowCount] = process.argv.slice(2)
const candles = readColdCandles(path!)
const runs = crossingRuns({
  fasts: periods(5, 1, Number(fastCount)),
  slows: periods(109, 9, Number(slowCount))
})
const figures = fastEngine.runMany(candles, runs, atClose)
process.stdout.write(
  JSON.stringify({
    pairs: runs.map(({ values }) => values),
    figures: Array.from(figures),
    memoryMb: peakMemoryMb()
  })
)
