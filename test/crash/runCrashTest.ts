/**
 * Kills the server at random moments of a workload and says what became of every promise.
 */
import { makeRandom } from "@candlewick/core/kernel"
import { answerOf, callsOf } from "./api.ts"
import { checkAll, checkRecords, type Findings } from "./checks.ts"
import { type Receiver, startReceiver } from "./receiver.ts"
import { type ServerProcess, sleep, startServer } from "./serverProcess.ts"
import {
  commandBot,
  createBot,
  importCandles,
  keepBusy,
  Promises,
  writeStrategy
} from "./workload.ts"

export interface CrashOptions {
  readonly directory: string
  readonly kills: number
  readonly seed: number
  readonly environment?: Readonly<Record<string, string>>
  readonly log?: (line: string) => void
}

export interface CrashReport extends Findings {
  readonly kills: number
  readonly killsWhileStarting: number
  readonly acknowledged: number
  readonly unanswered: number
  readonly runs: number
  readonly trades: number
  readonly events: number
  readonly deliveries: number
  readonly surprises: ReadonlyArray<string>
}

const startMs = 240_000

/** Everything that the workload needs, before the first kill. */
const prepare = async (
  server: ServerProcess,
  kept: Promises,
  endpoints: ReadonlyArray<Receiver>
): Promise<void> => {
  const call = callsOf(server.url)
  const events = ["strategy.generated", "strategy.optimized", "backtest.complete", "trade.executed"]
  for (const endpoint of endpoints) {
    const body = { url: endpoint.url, events }
    const { body: webhook, status } = await answerOf(call, "POST", "/webhooks", { body })
    if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(webhook)}`)
    endpoint.secret = webhook.secret
    kept.webhooks.add(webhook.id)
  }
  await importCandles(call, kept, 400)
  const strategyId = await writeStrategy(call, kept, "the strategy")
  if (strategyId === null) throw new Error(`no strategy: ${kept.surprises.join()}`)
  for (const [name, isSteady] of [
    ["steady 1", true],
    ["steady 2", true],
    ["moody 1", false],
    ["moody 2", false]
  ] as const) {
    const id = await createBot(call, kept, name, strategyId, isSteady)
    if (id === null) throw new Error(`no bot: ${kept.surprises.join()}`)
    await commandBot(call, kept, id, "start")
  }
}

/** Runs the whole test; what it finds is in the report. */
export const runCrashTest = async (options: CrashOptions): Promise<CrashReport> => {
  const { directory, environment, kills, log = () => undefined, seed } = options
  const random = makeRandom(seed)
  const kept = new Promises()
  const findings: Findings = { losses: [], duplicates: [], faults: [] }
  const endpoints = [await startReceiver(), await startReceiver()]
  let killsWhileStarting = 0
  let server = await startServer(directory, environment)
  const startAgain = async (): Promise<void> => {
    server = await startServer(directory, environment)
  }
  try {
    await server.ready(startMs)
    await prepare(server, kept, endpoints)
    for (let kill = 1; kill <= kills; kill++) {
      const own = random.fork(kill)
      const isEarly = kill > 1 && own.next() < 0.15
      if (isEarly) {
        await sleep(50 + own.next() * 2_000)
        killsWhileStarting++
      } else {
        if (!(await server.ready(startMs))) {
          throw new Error(`the server ended by itself: ${server.ended()}`)
        }
        const call = callsOf(server.url)
        // Now and then all of it is looked at before it goes on.
        const before = findings.losses.length + findings.duplicates.length
        if (kill % 10 === 0) await checkRecords(call, kept, findings)
        for (const one of [...findings.losses, ...findings.duplicates].slice(before)) log(one)
        let isOver = false
        const busy = keepBusy(call, kept, own, () => isOver)
        await sleep(100 + own.next() * 2_900)
        isOver = true
        await server.kill("SIGKILL")
        await busy
      }
      if (isEarly) await server.kill("SIGKILL")
      if (kill % 10 === 0) {
        const found = findings.losses.length + findings.duplicates.length
        log(`${kill} kills, ${kept.acknowledged} acknowledged writes, ${found} findings`)
      }
      await startAgain()
    }
    await server.ready(startMs)
    const call = callsOf(server.url)
    const trades = await checkAll(call, kept, endpoints, findings)
    const heard = endpoints.flatMap((one) => [...one.heard.values()])
    return {
      ...findings,
      kills,
      killsWhileStarting,
      acknowledged: kept.acknowledged,
      unanswered: kept.unanswered,
      runs: kept.runs.size,
      trades,
      events: endpoints[0]!.heard.size,
      deliveries: heard.reduce((sum, { count }) => sum + count, 0),
      surprises: kept.surprises
    }
  } finally {
    await server.kill("SIGKILL")
    for (const endpoint of endpoints) await endpoint.close()
  }
}
