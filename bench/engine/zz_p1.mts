import { benchmarkCandles } from "./candles.ts"
import { fullSizes } from "./sizes.ts"
import { crossingRuns, periods } from "./work/crossing.ts"
import { atClose } from "./work/settings.ts"
import { fastEngine } from "./fastEngine.ts"
const candles = benchmarkCandles(fullSizes.candles)
const runs = crossingRuns({ fasts: periods(5, 1, 100), slows: periods(109, 9, 100) })
for (let i = 0; i < Number(process.argv[2] ?? 3); i++) {
  const c = process.cpuUsage()
  fastEngine.runMany(candles, runs, atClose)
  const d = process.cpuUsage(c)
  console.log((d.user + d.system) / 1000, "ms")
}
