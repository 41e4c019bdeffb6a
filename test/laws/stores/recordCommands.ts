/**
 * Commands to the stores of accounts and of their versioned records.
 */
import {
  AccountStore,
  AlertStore,
  BacktestStore,
  BotArchive,
  BotStateStore,
  BotStore,
  EndpointStore,
  JudgementStore,
  OptimizationStore,
  type Page,
  type PageRequest,
  type StoreError,
  type StorePorts,
  StrategyStore,
  StrategyVersionStore,
  type SeriesStretch,
  TrialStore
} from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import {
  accountRecord,
  alertRecord,
  archivedBotRecord,
  backtestRecord,
  botRecord,
  botStateRecord,
  endpointRecord,
  keyRecord,
  optimizationRecord,
  strategyRecord,
  strategyVersionRecord
} from "@candlewick/core/testing"
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  anyJson,
  anyNumber,
  anyOwned,
  anyPage,
  anyText,
  anyTime,
  type MakeCommand,
  ownerOf,
  ownOnly,
  type World
} from "./draw.ts"

interface Versioned {
  readonly id: string
  readonly account_id: string
  readonly version: number
}

interface KeepingStore<A> {
  readonly insert: (record: A) => Effect.Effect<A, StoreError>
  readonly get: (accountId: string, id: string) => Effect.Effect<Option.Option<A>, StoreError>
  readonly update: (record: A) => Effect.Effect<A, StoreError>
}

interface VersionedStore<A> extends KeepingStore<A> {
  readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<A>, StoreError>
}

interface Kind<A, Store = VersionedStore<A>> {
  readonly name: string
  readonly store: Effect.Effect<Store, never, StorePorts>
  readonly ids: (world: World) => ReadonlyArray<string>
  readonly make: (random: Random, ids: { id: string; account_id: string }, world: World) => A
}

/** The version that is stored, or one beside it. */
export const near = (random: Random, version: number): number =>
  version + random.pick([0, 0, 0, 0, 1, -1])

/** The commands of every versioned record of an account, however it is listed. */
export const keepingCommands = <A extends Versioned>({
  ids,
  make,
  name,
  store
}: Kind<A, KeepingStore<A>>): ReadonlyArray<MakeCommand> => {
  const owner = (random: Random, world: World) => anyOwned(random, world, ids(world))
  return [
    (random, world) => {
      const record = make(random, owner(random, world), world)
      return { name: `${name}.insert`, run: Effect.flatMap(store, (one) => one.insert(record)) }
    },
    (random, world) => {
      const { account_id, id } = owner(random, world)
      return { name: `${name}.get`, run: Effect.flatMap(store, (one) => one.get(account_id, id)) }
    },
    (random, world) => {
      const record = make(random, owner(random, world), world)
      const versionOf = (stored: Option.Option<A>) =>
        near(random.fork("version"), Option.isSome(stored) ? stored.value.version : 1)
      return {
        name: `${name}.update`,
        run: Effect.flatMap(store, (one) =>
          Effect.flatMap(one.get(record.account_id, record.id), (stored) =>
            one.update({ ...record, version: versionOf(stored) })
          )
        )
      }
    }
  ]
}

const versionedCommands = <A extends Versioned>(kind: Kind<A>): ReadonlyArray<MakeCommand> => [
  ...keepingCommands(kind),
  (random, world) => {
    const { ids, name, store } = kind
    const account = random.pick(world.accounts)
    const page = anyPage(random, ids(world))
    return { name: `${name}.list`, run: Effect.flatMap(store, (one) => one.list(account, page)) }
  }
]

const removal = (
  name: string,
  store: Effect.Effect<
    { readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError> },
    never,
    StorePorts
  >,
  ids: (world: World) => ReadonlyArray<string>
): MakeCommand => {
  return (random, world) => {
    const { account_id: account, id } = anyOwned(random, world, ids(world))
    return {
      name: `${name}.remove`,
      run: Effect.flatMap(store, (one) => one.remove(account, id))
    }
  }
}

const runStatuses = ["queued", "running", "cancelling", "completed", "failed", "cancelled"] as const

const strategyCommands: ReadonlyArray<MakeCommand> = [
  ...versionedCommands({
    name: "StrategyStore",
    store: StrategyStore,
    ids: ({ strategies }) => strategies,
    make: (random, ids) =>
      strategyRecord({
        ...ids,
        name: anyText(random),
        status: random.pick(["ready", "generating", "failed"]),
        step: random.pick(["queue", "search"]),
        parameters: [
          {
            name: anyText(random),
            kind: "float",
            value: anyNumber(random),
            min: anyNumber(random),
            max: null,
            step: null
          }
        ]
      })
  }),
  removal("StrategyStore", StrategyStore, ({ strategies }) => strategies),
  (_, { strategies }) => ({
    name: "StrategyStore.listUnfinished",
    run: Effect.flatMap(StrategyStore, (store) =>
      Effect.map(store.listUnfinished, ownOnly(strategies))
    )
  })
]

const versionCommands: ReadonlyArray<MakeCommand> = [
  (random, world) => {
    const { account_id, id: strategy_id } = anyOwned(random, world, world.strategies)
    const version = random.integer(1, 4)
    const kept = strategyVersionRecord({ account_id, strategy_id, version, name: anyText(random) })
    return {
      name: "StrategyVersionStore.keep",
      run: Effect.flatMap(StrategyVersionStore, (store) => store.keep(kept))
    }
  },
  (random, world) => {
    const { account_id: account, id } = anyOwned(random, world, world.strategies)
    const version = random.integer(0, 5)
    return {
      name: "StrategyVersionStore.get",
      run: Effect.flatMap(StrategyVersionStore, (store) => store.get(account, id, version))
    }
  },
  (random, world) => {
    const { account_id: account, id } = anyOwned(random, world, world.strategies)
    const before = random.pick([undefined, "3", "none"])
    const page = { limit: random.integer(1, 3), before }
    return {
      name: "StrategyVersionStore.list",
      run: Effect.flatMap(StrategyVersionStore, (store) => store.list(account, id, page))
    }
  }
]

/** Columns are named after parameters and metrics, whose names are checked before. */
const columnNames = ["", "parameters.fast", "sharpe", "ü ✓ 🕯"]

const trialCommands: ReadonlyArray<MakeCommand> = [
  (random, { optimizations }) => {
    const id = random.pick(optimizations)
    const columns = Array.from({ length: random.integer(1, 3) }, (_, index) => ({
      name: `${index} ${random.pick(columnNames)}`,
      values: Float64Array.from({ length: random.integer(0, 3) }, () => anyNumber(random))
    }))
    return {
      name: "TrialStore.put",
      run: Effect.flatMap(TrialStore, (store) => store.put(id, columns))
    }
  },
  (random, { optimizations }) => {
    const id = random.pick(optimizations)
    return { name: "TrialStore.get", run: Effect.flatMap(TrialStore, (store) => store.get(id)) }
  }
]

/** A stretch whose bounds meet those of others. */
const anyStretch = (random: Random, { symbols }: World): SeriesStretch => {
  const fromMs = 1_000 * random.integer(0, 6)
  return {
    symbol: random.pick(symbols),
    timeframe: random.pick(["1h", "1d"]),
    fromMs,
    toMs: fromMs + 1_000 * random.integer(1, 4)
  }
}

const judgementCommands: ReadonlyArray<MakeCommand> = [
  (random, world) => {
    const { id, account_id } = anyOwned(random, world, world.backtests)
    const stretch = anyStretch(random, world)
    return {
      name: "JudgementStore.keep",
      run: Effect.flatMap(JudgementStore, ({ keep }) => keep(account_id, id, stretch))
    }
  },
  (random, world) => {
    const account = random.pick(world.accounts)
    const stretch = anyStretch(random, world)
    return {
      name: "JudgementStore.count",
      run: Effect.flatMap(JudgementStore, ({ count }) => count(account, stretch))
    }
  }
]

const runCommands: ReadonlyArray<MakeCommand> = [
  ...versionedCommands({
    name: "BacktestStore",
    store: BacktestStore,
    ids: ({ backtests }) => backtests,
    make: (random, ids) =>
      backtestRecord({
        ...ids,
        status: random.pick(runStatuses),
        finished_at: random.pick([null, anyTime(random)]),
        progress: random.next(),
        error: { code: "x", message: anyText(random) }
      })
  }),
  ...versionedCommands({
    name: "OptimizationStore",
    store: OptimizationStore,
    ids: ({ optimizations }) => optimizations,
    make: (random, ids) =>
      optimizationRecord({
        ...ids,
        status: random.pick(runStatuses),
        finished_at: random.pick([null, anyTime(random)]),
        completed_trials: random.integer(0, 9),
        eta_seconds: anyNumber(random)
      })
  }),
  (_, { backtests }) => ({
    name: "BacktestStore.listUnfinished",
    run: Effect.flatMap(BacktestStore, (store) =>
      Effect.map(store.listUnfinished, ownOnly(backtests))
    )
  }),
  (_, { optimizations }) => ({
    name: "OptimizationStore.listUnfinished",
    run: Effect.flatMap(OptimizationStore, (store) =>
      Effect.map(store.listUnfinished, ownOnly(optimizations))
    )
  })
]

const runRemovals: ReadonlyArray<MakeCommand> = [
  (random) => {
    const request = { beforeMs: Date.parse(anyTime(random)), limit: 1_000 }
    return {
      name: "BacktestStore.removeFinished",
      run: Effect.flatMap(BacktestStore, (store) => store.removeFinished(request))
    }
  },
  (random) => {
    const request = { beforeMs: Date.parse(anyTime(random)), limit: 1_000 }
    return {
      name: "OptimizationStore.removeFinished",
      run: Effect.flatMap(OptimizationStore, (store) => store.removeFinished(request))
    }
  }
]

const botCommands: ReadonlyArray<MakeCommand> = [
  ...versionedCommands({
    name: "BotStore",
    store: BotStore,
    ids: ({ bots }) => bots,
    make: (random, ids) =>
      botRecord({
        ...ids,
        name: anyText(random),
        capital_allocation: anyNumber(random),
        status: random.pick(["created", "running", "paused", "error"])
      })
  }),
  removal("BotStore", BotStore, ({ bots }) => bots),
  (_, { bots }) => ({
    name: "BotStore.listActive",
    run: Effect.flatMap(BotStore, (store) =>
      Effect.all([
        Effect.map(store.listActive, ownOnly(bots)),
        Effect.map(store.listLiveAtRest, ownOnly(bots)),
        // Each store has its own words.
        Effect.map(
          Effect.all([store.markActive, store.markActive]),
          ([one, other]) => one === other
        )
      ])
    )
  }),
  (random, { accounts }) => {
    const account = random.pick(accounts)
    return {
      name: "BotStore.count",
      run: Effect.flatMap(BotStore, (store) => store.count(account))
    }
  },
  (random, { bots }) => {
    const id = random.pick(bots)
    return {
      name: "BotStateStore.get",
      run: Effect.flatMap(BotStateStore, (store) => store.get(id))
    }
  },
  (random, { bots }) => {
    const state = botStateRecord({
      bot_id: random.pick(bots),
      cursor: random.pick([null, 0, -1, 1_768_467_600_000]),
      snapshot: anyJson(random)
    })
    return {
      name: "BotStateStore.put",
      run: Effect.flatMap(BotStateStore, (store) =>
        Effect.flatMap(store.get(state.bot_id), (stored) =>
          store.put({
            ...state,
            version: near(random.fork("version"), Option.isSome(stored) ? stored.value.version : 0)
          })
        )
      )
    }
  }
]

const archiveCommands: ReadonlyArray<MakeCommand> = [
  (random, world) => {
    const { bots } = world
    const ids = anyOwned(random, world, bots)
    const bot = archivedBotRecord({ ...ids, name: anyText(random), archived_at: anyTime(random) })
    const state = random.pick([null, botStateRecord({ bot_id: bot.id, snapshot: anyJson(random) })])
    return {
      name: "BotArchive.insert",
      run: Effect.flatMap(BotArchive, (store) => store.insert(bot, state))
    }
  },
  (random, world) => {
    const { account_id, id } = anyOwned(random, world, world.bots)
    return {
      name: "BotArchive.get",
      run: Effect.flatMap(BotArchive, (store) => store.get(account_id, id))
    }
  },
  (random, { bots }) => {
    const id = random.pick(bots)
    return {
      name: "BotArchive.getState",
      run: Effect.flatMap(BotArchive, (store) => store.getState(id))
    }
  },
  (random, { accounts, bots }) => {
    const [account, page] = [random.pick(accounts), anyPage(random, bots)]
    return {
      name: "BotArchive.list",
      run: Effect.flatMap(BotArchive, (store) => store.list(account, page))
    }
  },
  (random, { bots }) => {
    const request = { beforeMs: Date.parse(anyTime(random)), limit: 1_000 }
    return {
      name: "BotArchive.listBefore",
      run: Effect.flatMap(BotArchive, (store) =>
        Effect.map(store.listBefore(request), ownOnly(bots))
      )
    }
  },
  removal("BotArchive", BotArchive, ({ bots }) => bots)
]

const anyAlert = (random: Random, ids: { id: string; account_id: string }, world: World) =>
  alertRecord({
    ...ids,
    bot_id: random.pick([null, ...world.bots]),
    kind: random.pick(["price", "price", "performance"]),
    symbol: random.pick([null, ...world.symbols]),
    threshold: anyNumber(random),
    is_enabled: random.next() < 0.7,
    is_armed: random.next() < 0.5,
    last_value: random.pick([null, anyNumber(random)]),
    last_candle_at: random.pick([null, anyTime(random)]),
    fired_count: random.integer(0, 9)
  })

const alertCommands: ReadonlyArray<MakeCommand> = [
  ...versionedCommands({
    name: "AlertStore",
    store: AlertStore,
    ids: ({ alerts }) => alerts,
    make: anyAlert
  }),
  removal("AlertStore", AlertStore, ({ alerts }) => alerts),
  (random, world) => {
    const ids = anyOwned(random, world, world.alerts)
    const alert = anyAlert(random, ids, world)
    return {
      name: "AlertStore.keepState",
      run: Effect.flatMap(AlertStore, (store) =>
        Effect.flatMap(store.get(alert.account_id, alert.id), (stored) => {
          const before = Option.getOrElse(stored, () => alert)
          const version = near(random.fork("version"), before.version)
          return store.keepState(alert, { ...before, version })
        })
      )
    }
  },
  (random, { accounts, bots }) => {
    const account = random.pick(accounts)
    const some = bots.filter(() => random.next() < 0.5)
    return {
      name: "AlertStore.listOfBots",
      run: Effect.flatMap(AlertStore, (store) => store.listOfBots(account, some))
    }
  },
  (random, { accounts }) => {
    const account = random.pick(accounts)
    return {
      name: "AlertStore.count",
      run: Effect.flatMap(AlertStore, (store) => store.count(account))
    }
  },
  (random, { symbols }) => {
    const symbol = random.pick(symbols)
    return {
      name: "AlertStore.listOfSymbol",
      run: Effect.flatMap(AlertStore, (store) => store.listOfSymbol(symbol))
    }
  }
]

/** An endpoint that takes as much as there is: which of several comes first is left to a store. */
export const anyEndpoint = (random: Random, ids: { id: string; account_id: string }) =>
  endpointRecord({
    ...ids,
    description: random.pick([null, anyText(random)]),
    events: random.pick([["trade.executed"], ["trade.executed", "alert.triggered"]]),
    max_concurrency: 100,
    payload: random.pick(["plain", "extended"]),
    ...random.pick([
      {},
      { format: "slack", sealed_url: anyText(random) } as const,
      { format: "telegram", chat_id: "-100123", sealed_url: "sealed" } as const
    ]),
    consecutive_failures: random.integer(0, 3),
    last_failure_at: random.pick([null, anyTime(random)])
  })

/** Commands to the endpoints of webhooks. */
export const endpointCommands: ReadonlyArray<MakeCommand> = [
  ...versionedCommands({
    name: "EndpointStore",
    store: EndpointStore,
    ids: ({ webhooks }) => webhooks,
    make: anyEndpoint
  }),
  removal("EndpointStore", EndpointStore, ({ webhooks }) => webhooks),
  (random, world) => {
    const ids = anyOwned(random, world, world.webhooks)
    const health = anyEndpoint(random, ids)
    return {
      name: "EndpointStore.keepHealth, then update with a copy that is older",
      run: Effect.gen(function* () {
        const store = yield* EndpointStore
        const before = Option.getOrNull(yield* store.get(ids.account_id, ids.id))
        yield* store.keepHealth(health)
        if (before === null) return null
        const changed = yield* store.update({ ...before, description: health.description })
        // Two stores that both forgot it would agree.
        assert.strictEqual(changed.consecutive_failures, health.consecutive_failures)
        assert.strictEqual(changed.last_failure_at, health.last_failure_at)
        return changed
      })
    }
  }
]

const accountCommands: ReadonlyArray<MakeCommand> = [
  (random, { accounts }) => {
    const account = accountRecord({ id: random.pick(accounts), name: anyText(random) })
    return {
      name: "AccountStore.insert",
      run: Effect.flatMap(AccountStore, (store) => store.insert(account))
    }
  },
  (random, { accounts }) => {
    const account = random.pick(accounts)
    return {
      name: "AccountStore.get",
      run: Effect.flatMap(AccountStore, (store) => store.get(account))
    }
  },
  (random, { accounts }) => {
    const account = accountRecord({
      id: random.pick(accounts),
      halted_reason: anyText(random),
      version: random.integer(1, 3)
    })
    return {
      name: "AccountStore.update",
      run: Effect.flatMap(AccountStore, (store) => store.update(account))
    }
  },
  (_, { accounts }) => ({
    name: "AccountStore.listAll",
    run: Effect.flatMap(AccountStore, (store) => Effect.map(store.listAll, ownOnly(accounts)))
  }),
  ...(["insertKey", "updateKey"] as const).map((method): MakeCommand => (random, world) => {
    const ids = anyOwned(random, world, world.keys)
    const key = keyRecord({
      ...ids,
      lookup: ownerOf(random, world.lookups, world.keys, ids.id),
      name: anyText(random)
    })
    return {
      name: `AccountStore.${method}`,
      run: Effect.flatMap(AccountStore, (store): Effect.Effect<unknown, StoreError> =>
        store[method](key)
      )
    }
  }),
  (random, { accounts, keys }) => {
    const [account, key, at] = [
      random.pick(accounts),
      random.pick(keys),
      random.pick(["2026-02-01T00:00:00.000Z", "2026-02-01T00:01:00.000Z"])
    ]
    return {
      name: "AccountStore.markKeyUsed",
      run: Effect.flatMap(AccountStore, (store) => store.markKeyUsed(account, key, at))
    }
  },
  (random, { lookups }) => {
    const lookup = random.pick(lookups)
    return {
      name: "AccountStore.findKey",
      run: Effect.flatMap(AccountStore, (store) => store.findKey(lookup))
    }
  },
  (random, { accounts, keys }) => {
    const [account, page] = [random.pick(accounts), anyPage(random, keys)]
    return {
      name: "AccountStore.listKeys",
      run: Effect.flatMap(AccountStore, (store) => store.listKeys(account, page))
    }
  }
]

/** One list of commands for each port. */
export const recordCommands = [
  strategyCommands,
  versionCommands,
  trialCommands,
  judgementCommands,
  runCommands,
  runRemovals,
  botCommands,
  archiveCommands,
  alertCommands,
  endpointCommands,
  accountCommands
]
