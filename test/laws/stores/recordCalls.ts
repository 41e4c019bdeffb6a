/**
 * Which methods of the ports were called, so that one that no command draws doesn't go unseen.
 */
import {
  AccountStore,
  AlertStore,
  BacktestStore,
  BotArchive,
  BotJournal,
  BotStateStore,
  BotStore,
  CandleStore,
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  IdempotencyStore,
  JudgementStore,
  MarketStore,
  NoticeQueue,
  OptimizationStore,
  OrderStore,
  Outbox,
  PaperAccountStore,
  ReplayStore,
  RunCheckpoints,
  StepStore,
  type StorePorts,
  StrategyStore,
  StrategyVersionStore,
  Transactor,
  TrialStore,
  VenueAccountStore
} from "@candlewick/core"
import { Context, Effect } from "effect"

const ports = {
  AccountStore,
  AlertStore,
  BacktestStore,
  BotArchive,
  BotJournal,
  BotStateStore,
  BotStore,
  CandleStore,
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  IdempotencyStore,
  JudgementStore,
  MarketStore,
  NoticeQueue,
  OptimizationStore,
  OrderStore,
  Outbox,
  PaperAccountStore,
  ReplayStore,
  RunCheckpoints,
  StepStore,
  StrategyStore,
  StrategyVersionStore,
  Transactor,
  TrialStore,
  VenueAccountStore
}

const serviceOf = (stores: Context.Context<StorePorts>, { key }: { readonly key: string }) =>
  stores.mapUnsafe.get(key) as object

/** The calls to stores, the parts without a port included. */
export const methodsOf = (stores: Context.Context<StorePorts>): ReadonlyArray<string> =>
  Object.entries(ports).flatMap(([portName, port]) =>
    Object.entries(serviceOf(stores, port))
      .filter(([, member]) => typeof member !== "boolean")
      .map(([method]) => `${portName}.${method}`)
  )

/** The same stores, and what of them was called so far and did not fail. */
export const recordCalls = (stores: Context.Context<StorePorts>) => {
  const called = new Set<string>()
  const services = new Map(stores.mapUnsafe)
  for (const [portName, port] of Object.entries(ports)) {
    const service = serviceOf(stores, port)
    const recording = new Proxy(service, {
      get: (target, method, receiver) => {
        const value: unknown = Reflect.get(target, method, receiver)
        const name = `${portName}.${String(method)}`
        const recorded = (answer: unknown): unknown =>
          Effect.isEffect(answer)
            ? Effect.tap(answer, () => Effect.sync(() => called.add(name)))
            : answer
        return typeof value === "function"
          ? (...given: ReadonlyArray<unknown>) => recorded(Reflect.apply(value, target, given))
          : recorded(value)
      }
    })
    services.set(port.key, recording)
  }
  return { called, stores: Context.makeUnsafe<StorePorts>(services) }
}
