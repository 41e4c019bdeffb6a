/**
 * `npm run simulate`: histories of bots and of exchange accounts with faults, from seeds; with
 * `--live` those of live bots alone.
 *
 *     npm run simulate -- --count 10000 --from 0 --seconds 600 --threads 2
 *     npm run simulate -- --seed 17
 *     npm run simulate -- --live --count 2000
 *     npm run simulate -- --seed "live 17"
 *     npm run simulate -- --history '{"seed":…}'
 *     npm run simulate -- --bug "no cursor check"
 */
import { historyAsked, readArguments, tellFailure } from "./commands.ts"
import { drawHistory, type History, live, tellHistory } from "./history.ts"
import { runHistory } from "./runHistory.ts"
import { simulate, type SimulationResult } from "./simulate.ts"

const values = readArguments(process.argv.slice(2))

const prefix = values.live ? live : ""

const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** Runs one history; whether it holds. */
const runOne = (history: History): boolean => {
  const { counts, violation } = runHistory(history)
  print(tellHistory(history))
  print(JSON.stringify(counts, null, 2))
  if (violation === null) {
    print("everything holds")
    return true
  }
  print(violation)
  print(tellFailure({ history, violation }))
  return false
}

/** How often it is said how far a run has come. */
const progressMs = 60_000

const tellProgress = () => {
  const startedMs = performance.now()
  let nextMs = startedMs + progressMs
  return (runCount: number, failures: SimulationResult["failures"]): void => {
    for (const { seed, violation } of failures) print(`seed ${seed}: ${violation}`)
    if (performance.now() < nextMs) return
    nextMs += progressMs
    print(`${runCount} histories in ${Math.round((performance.now() - startedMs) / 1_000)} s`)
  }
}

/** How many failures are made short and printed. */
const shownMax = 3

const runMany = async (): Promise<boolean> => {
  const { counts, elapsedMs, failures, runCount } = await simulate({
    from: Number(values.from),
    count: Number(values.count),
    prefix,
    seconds: values.seconds === undefined ? undefined : Number(values.seconds),
    threadCount: Number(values.threads),
    failuresMax: values.bug === undefined ? 20 : 1,
    onProgress: tellProgress(),
    bug: values.bug
  })
  print(JSON.stringify(counts, null, 2))
  const seconds = elapsedMs / 1_000
  const rate = (runCount / seconds).toFixed(1)
  print(`${runCount} histories in ${seconds.toFixed(0)} s, ${rate} a second`)
  print(`${failures.length} of them failed`)
  // Without the bug that was planted, a history does not fail here.
  if (values.bug !== undefined) return failures.length > 0
  for (const { seed, violation } of failures.slice(0, shownMax)) {
    print(tellFailure({ history: drawHistory(prefix + seed), violation }))
  }
  return failures.length === 0
}

const one = historyAsked(values)
const holds = one === null ? await runMany() : runOne(one)
process.exitCode = holds ? 0 : 1
