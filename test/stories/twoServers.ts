/**
 * Two servers over one store, the first of which ends after it has carried a request out and before
 * it writes its answer down.
 */
import {
  operatorAccountId,
  Accounts,
  Candles,
  Candlewick,
  IdempotencyStore,
  LocalEvents,
  PaperBooks,
  RecordedMarketData,
  RunEngine,
  type StorePorts
} from "@candlewick/core"
import { serve } from "@candlewick/http"
import { Clock, Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { countingTransport } from "../services/setting.ts"
import { definition, free, symbol } from "./scene.ts"
import { columnsOf } from "./scripted.ts"
import { keepStrategy } from "./world.ts"

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: { readonly id: string; readonly secret: string; readonly code: string }
}

/** A request to a server, under a key or without. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  key?: string
) => Effect.Effect<Answer>

const callsOf =
  (url: string, token: string): Call =>
  (method, path, body, key) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { "idempotency-key": key })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
    })

/** An engine that brings no run anywhere. */
const idle = Layer.succeed(RunEngine, {
  serve: () => Effect.void,
  execute: () => Effect.void,
  takeUp: () => Effect.succeed(true)
})

const services = Candlewick.layerOn(idle, { size: 1 }).pipe(
  Layer.provideMerge(
    Layer.mergeAll(PaperBooks.layer, RecordedMarketData.layer, LocalEvents.layer, countingTransport)
  )
)

/** The values that a store was given to keep with keys. */
const watched = (written: Array<string>, isKilled: boolean) =>
  Layer.effect(
    IdempotencyStore,
    Effect.map(IdempotencyStore, (real) =>
      IdempotencyStore.of({
        ...real,
        keepOutcome: (kept) => {
          written.push(kept.outcome)
          return real.keepOutcome(kept)
        },
        answer: (scope, key, answer, keptForMs) => {
          // A server that is killed just here.
          if (isKilled) return Effect.void
          written.push(answer.body)
          return real.answer(scope, key, answer, keptForMs)
        }
      })
    )
  )

/** A clock of its own, that much ahead of this process's. */
const clockAhead = (aheadMs: number) =>
  Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (clock): Clock.Clock => {
      const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + aheadMs
      return {
        currentTimeMillisUnsafe,
        currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      }
    })
  )

/**
 * Two servers over one store, of which the first never comes to writing an answer down. Its clock
 * may be ahead of the other's.
 */
export const twoServers = Effect.fnUntraced(function* (
  stores: Layer.Layer<StorePorts>,
  sealing: Layer.Layer<never>,
  aheadMs = 0
) {
  const kept = yield* Layer.build(stores)
  const written: Array<string> = []
  const serverOf = (isKilled: boolean) =>
    Layer.build(
      Layer.fresh(
        serve({
          host: "127.0.0.1",
          port: 0,
          shutdownTimeoutMs: 2_000,
          accessLog: { write: () => undefined }
        }).pipe(
          Layer.provideMerge(services),
          Layer.provide(sealing),
          Layer.provide(watched(written, isKilled)),
          Layer.provide(clockAhead(isKilled ? aheadMs : 0)),
          Layer.provide(Layer.succeedContext(kept)),
          Layer.orDie
        )
      )
    )
  const servers = [yield* serverOf(true), yield* serverOf(false)] as const
  const { account, secret } = yield* Effect.provideContext(
    Effect.flatMap(Accounts, (accounts) => accounts.create("tester")),
    servers[0]
  )
  const scene = Effect.gen(function* () {
    yield* (yield* Candles).import(operatorAccountId, {
      key: { symbol, timeframe: "1h" },
      columns: columnsOf([100, 101]),
      market: free
    })
    return yield* keepStrategy(account.id, definition)
  })
  const strategy = yield* scene.pipe(Effect.provideContext(servers[0]), Effect.provideContext(kept))
  const [first, next] = servers.map((server) => {
    const { address } = Context.get(server, HttpServer.HttpServer)
    return callsOf(`http://127.0.0.1:${"port" in address ? address.port : 0}`, secret)
  }) as [Call, Call]
  return { accountId: account.id, first, next, kept, strategy, written }
})
