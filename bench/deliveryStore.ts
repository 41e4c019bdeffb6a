/**
 * Measures the cost of a delivery to its store, without a receiver. Events are fanned out, claimed,
 * begun and finished by the batch, as a sender does it.
 *
 * Before anything is printed, every delivery must have been claimed once and judged once. Runs on
 * memory, on PGlite and on PostgreSQL 18, with a backlog of finished and of retrying deliveries
 * beside those that are sent. Run it with
 *
 *   npm run bench:delivery-store -- [deliveries] [backlog]
 */
import {
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  type NewDelivery
} from "../packages/core/src/index.ts"
import {
  deliveryRecord,
  endpointRecord,
  evidenceRecord
} from "../packages/core/src/testing/records.ts"
import { testId } from "../packages/core/src/testing/testIds.ts"
import { Effect, Layer } from "effect"
import { MemoryStore } from "../packages/store-memory/src/index.ts"
import { Postgres, PostgresStore } from "../packages/store-postgres/src/index.ts"
import { startPostgres } from "../packages/store-postgres/test/databases/startPostgres.ts"

const deliveryCount = Number(process.argv[2] ?? 10_000)
const backlogCount = Number(process.argv[3] ?? 100_000)
const endpointCount = 50
const eventsPerBatch = 25
const claimCount = 256

/** Adds up how long each step takes, in wall time and in processor time of this process. */
class Meter {
  private readonly steps = new Map<string, { wallMs: number; cpuMs: number }>()

  time<A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const startedMs = performance.now()
      const before = process.cpuUsage()
      return Effect.tap(effect, () => {
        const { system, user } = process.cpuUsage(before)
        const step = this.steps.get(name) ?? { wallMs: 0, cpuMs: 0 }
        step.wallMs += performance.now() - startedMs
        step.cpuMs += (system + user) / 1_000
        this.steps.set(name, step)
        return Effect.void
      })
    })
  }

  print(title: string): void {
    console.log(`\n${title}`)
    let [wallMs, cpuMs] = [0, 0]
    const line = (name: string, wall: number, cpu: number) =>
      console.log(
        `  ${name.padEnd(24)} ${(wall / deliveryCount).toFixed(3).padStart(8)} ms ` +
          `${(cpu / deliveryCount).toFixed(3).padStart(8)} ms here ` +
          `${Math.round((deliveryCount / wall) * 1_000)
            .toLocaleString("en")
            .padStart(9)} /s`
      )
    for (const [name, step] of this.steps) {
      line(name, step.wallMs, step.cpuMs)
      wallMs += step.wallMs
      cpuMs += step.cpuMs
    }
    line("a delivery, all of it", wallMs, cpuMs)
  }
}

const inBatches = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size)
  )

const measure = Effect.fnUntraced(function* (title: string) {
  const store = yield* EndpointStore
  const deliveryStore = yield* DeliveryStore
  const queue = yield* DeliveryQueue
  const account_id = testId("account")
  const endpoints = yield* Effect.forEach(Array.from({ length: endpointCount }), () =>
    store.insert(endpointRecord({ account_id, max_concurrency: 16 }))
  )
  const recordOf = (index: number, fields: Partial<NewDelivery>) =>
    deliveryRecord(endpoints[index % endpointCount]!, fields)
  const backlog = Array.from({ length: backlogCount }, (_, index) =>
    recordOf(index, {
      status: index % 10 === 0 ? "retrying" : "succeeded",
      due_in_ms: 3_600_000 + index
    })
  )
  for (const batch of inBatches(backlog, 1_000)) yield* deliveryStore.insertMany(batch)
  const meter = new Meter()
  const records = Array.from({ length: deliveryCount }, (_, index) =>
    recordOf(index, { due_in_ms: index / 1_000 - 1_000 })
  )
  for (const batch of inBatches(records, eventsPerBatch)) {
    yield* meter.time("made, 25 at once", deliveryStore.insertMany(batch))
  }
  const claim = queue.claim({
    leaseMs: 600_000,
    slowAfterMs: 1_200_000,
    limit: claimCount,
    accountMax: claimCount,
    accountKept: 0,
    allowances: new Map()
  })
  const sent = new Set<string>()
  while (sent.size < deliveryCount) {
    const claimed = yield* meter.time("claimed, up to 256", claim)
    if (claimed.length === 0) throw new Error("nothing was claimed, and not everything was sent")
    const begun = yield* meter.time("begun, up to 256", deliveryStore.updateMany(claimed))
    const outcomes = begun.map((delivery) => ({
      delivery: { ...delivery, status: "succeeded" as const, leased_until_ms: null },
      evidence: evidenceRecord()
    }))
    const kept = yield* meter.time("finished, up to 256", queue.keepOutcomes(outcomes))
    for (const { id } of kept) {
      if (sent.has(id)) throw new Error(`${id} was sent twice`)
      sent.add(id)
    }
  }
  const judged = yield* store.getMany(endpoints.map(({ id }) => id))
  const judgements = judged.reduce((sum, endpoint) => sum + endpoint.consecutive_failures, 0)
  if (judgements !== deliveryCount) throw new Error(`${judgements} judgements were kept`)
  meter.print(title)
})

const run = <E>(
  title: string,
  layer: Layer.Layer<DeliveryQueue | DeliveryStore | EndpointStore, E>
) => Effect.runPromise(Effect.provide(measure(title), layer))

console.log(
  `${deliveryCount.toLocaleString("en")} deliveries to ${endpointCount} endpoints, ` +
    `beside ${backlogCount.toLocaleString("en")}`
)
await run("memory", MemoryStore.layer)
await run("PGlite, in memory", PostgresStore.layerPglite())
const server = await startPostgres(18)
try {
  const stores = Layer.provide(PostgresStore.layerAlone, Postgres.layer({ url: server.url }))
  await run("PostgreSQL 18, which doesn't wait for the disk", stores)
} finally {
  await server.stop()
}
