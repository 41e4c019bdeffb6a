/**
 * Commands that ask what is new, what was published, and who has something to himself.
 */
import {
  BacktestStore,
  BotJournal,
  BotStateStore,
  BotStore,
  fromTimestamp,
  IdempotencyStore,
  OptimizationStore,
  Outbox,
  StepStore,
  type StoreError,
  type StorePorts,
  StrategyStore,
  Transactor
} from "@candlewick/core"
import { botStateRecord } from "@candlewick/core/testing"
import { Effect, Option } from "effect"
import { anyJson, anyNumber, anyTime, type MakeCommand, type World } from "./draw.ts"
import { near } from "./recordCommands.ts"

interface RecentStore {
  readonly listRecent: (
    accountId: string,
    after: string
  ) => Effect.Effect<ReadonlyArray<unknown>, StoreError>
}

const recentCommand =
  (
    name: string,
    store: Effect.Effect<RecentStore, never, StorePorts>,
    ids: (world: World) => ReadonlyArray<string>
  ): MakeCommand =>
  (random, world) => {
    const account = random.pick(world.accounts)
    const after = random.pick(["", "~", ...ids(world)])
    return {
      name: `${name}.listRecent`,
      run: Effect.flatMap(store, ({ listRecent }) => listRecent(account, after))
    }
  }

/** The methods of ports that list new records, one command each. */
export const recentCommands: ReadonlyArray<ReadonlyArray<MakeCommand>> = [
  [
    recentCommand("StrategyStore", StrategyStore, ({ strategies }) => strategies),
    recentCommand("BacktestStore", BacktestStore, ({ backtests }) => backtests),
    recentCommand("OptimizationStore", OptimizationStore, ({ optimizations }) => optimizations)
  ],
  [
    (random, { accounts }) => {
      const account = random.pick(accounts)
      const page = { after: random.integer(-1, 9), limit: random.integer(1, 5) }
      return {
        name: "Outbox.listPublished",
        run: Effect.flatMap(Outbox, (store) => store.listPublished(account, page))
      }
    },
    (random, { accounts }) => {
      const account = random.pick(accounts)
      return {
        name: "Outbox.newestSeq",
        run: Effect.flatMap(Outbox, (store) => store.newestSeq(account))
      }
    }
  ],
  [
    (random, { accounts, bots }) => {
      const [account, bot] = [random.pick(accounts), random.pick(bots)]
      return {
        name: "BotStore.hold",
        run: Effect.flatMap(BotStore, (store) => store.hold(account, bot))
      }
    },
    (random, { bots }) => {
      // Stores may add in any order, so that the last digits of the sums differ.
      const asked = bots.map((botId) => ({ botId, otherwise: random.integer(0, 9) }))
      const times = [anyTime(random), anyTime(random)].map(fromTimestamp)
      return {
        name: "BotJournal.equityTotals",
        run: Effect.map(
          Effect.flatMap(BotJournal, (store) => store.equityTotals(asked, times)),
          (totals) => totals.map((total) => Number(total.toPrecision(9)))
        )
      }
    },
    (random, { bots }) => {
      const some = bots.filter(() => random.next() < 0.7)
      return {
        name: "BotStateStore.getMany",
        // Stores may tell them in any order.
        run: Effect.map(
          Effect.flatMap(BotStateStore, (store) => store.getMany(some)),
          (states) => states.toSorted((one, other) => (one.bot_id < other.bot_id ? -1 : 1))
        )
      }
    },
    (random, { bots }) => {
      const bot = random.pick(bots)
      return {
        name: "BotStateStore.hold",
        run: Effect.flatMap(BotStateStore, (store) =>
          Effect.gen(function* () {
            const known = Option.getOrNull(yield* store.get(bot))
            // Few bots have a state, and those that have none can't be held.
            const { version } = known ?? (yield* store.put(botStateRecord({ bot_id: bot })))
            yield* store.hold(bot, near(random.fork("version"), version))
          })
        )
      }
    },
    (random, { owners }) => {
      const name = random.pick(owners)
      return {
        name: "Transactor.lock",
        run: Effect.flatMap(Transactor, (store) => store.lock(name))
      }
    },
    () => ({
      name: "IdempotencyStore.releaseAll",
      run: Effect.flatMap(IdempotencyStore, (store) => store.releaseAll)
    })
  ],
  [
    (_, { bots }) => ({
      name: "StepStore.hold",
      run: Effect.flatMap(StepStore, (store) =>
        Effect.all([
          Effect.map(store.hold(bots), ({ accounts, alerts, bots: found }) => ({
            accounts: accounts.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
            alerts,
            bots: found.toSorted((one, other) => (one.bot.id < other.bot.id ? -1 : 1))
          })),
          Effect.map(store.open(bots), ({ bots: found, strategies }) => ({
            strategies: strategies.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
            bots: found.toSorted((one, other) => (one.bot.id < other.bot.id ? -1 : 1))
          }))
        ])
      )
    }),
    (random, { bots }) => {
      const bot = random.pick(bots)
      const equity = { time: "2026-01-15T09:30:00.000Z", equity: anyNumber(random) }
      const paper = anyJson(random)
      return {
        name: "StepStore.write",
        run: Effect.flatMap(StepStore, (store) =>
          Effect.gen(function* () {
            const state = Option.getOrUndefined(yield* (yield* BotStateStore).get(bot))
            const version = near(random.fork("version"), state?.version ?? 0)
            yield* store.write([
              {
                botId: bot,
                equity,
                paper,
                ...(state !== undefined && { state: { ...state, version } })
              }
            ])
          })
        )
      }
    }
  ]
]
