/**
 * Commands to the store of exchange accounts, attempts and facts.
 */
import { AttemptMachine, VenueAccountStore, venueKeyOf } from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import {
  endFactRecord,
  orderAttemptRecord,
  tradeFactRecord,
  venueAccountRecord
} from "@candlewick/core/testing"
import { Effect, Option } from "effect"
import { anyJson, anyText, type MakeCommand, type World } from "./draw.ts"

const anyAttempt = (random: Random, { accounts, bots, clientOrders, venueOrders }: World) =>
  orderAttemptRecord({
    account_id: random.pick(accounts),
    id: random.pick(venueOrders),
    bot_id: random.pick(bots),
    client_order_id: random.pick(clientOrders),
    number: random.integer(1, 3),
    state: random.pick(AttemptMachine.states),
    reason: random.pick([null, anyText(random)])
  })

const anyFact = (random: Random, { bots, clientOrders, facts }: World) => {
  const fields = {
    id: random.pick(facts),
    bot_id: random.pick(bots),
    client_order_id: random.pick(clientOrders)
  }
  if (random.next() < 0.3) return endFactRecord({ ...fields, reason: anyText(random) })
  const isOutside = random.next() < 0.4
  return tradeFactRecord(isOutside ? { ...fields, bot_id: null, client_order_id: null } : fields)
}

const anyKey = (random: Random, { accounts }: World): string =>
  venueKeyOf(random.pick(accounts), "model")

/** Commands to the store of exchange accounts. */
export const venueCommands: ReadonlyArray<MakeCommand> = [
  (random, { accounts }) => {
    const account = venueAccountRecord({
      account_id: random.pick(accounts),
      cursor: random.pick([null, anyText(random)]),
      book: anyJson(random)
    })
    const away = random.pick([0, 0, 0, 1])
    return {
      name: "VenueAccountStore.put",
      run: Effect.flatMap(VenueAccountStore, ({ get, put }) =>
        Effect.flatMap(get(account.key), (stored) => {
          const version = Option.match(stored, { onNone: () => 0, onSome: (one) => one.version })
          return put({ ...account, version: version + away })
        })
      )
    }
  },
  (random, world) => {
    const key = anyKey(random, world)
    return {
      name: "VenueAccountStore.get",
      run: Effect.flatMap(VenueAccountStore, ({ get }) => get(key))
    }
  },
  (random, world) => {
    const key = anyKey(random, world)
    const facts = Array.from({ length: random.integer(0, 3) }, () => anyFact(random, world))
    return {
      name: "VenueAccountStore.keepFacts",
      run: Effect.flatMap(VenueAccountStore, ({ keepFacts }) => keepFacts(key, facts))
    }
  },
  (random, { bots }) => {
    const [bot, after] = [random.pick(bots), random.integer(0, 4)]
    return {
      name: "VenueAccountStore.factsOf",
      run: Effect.flatMap(VenueAccountStore, ({ factsOf }) => factsOf(bot, after))
    }
  },
  (random, world) => {
    const key = anyKey(random, world)
    const before = random.pick([undefined, "1", "3", "5"])
    const page = { limit: random.integer(1, 3), before }
    return {
      name: "VenueAccountStore.listOutside",
      run: Effect.flatMap(VenueAccountStore, ({ listOutside }) => listOutside(key, page))
    }
  },
  (random, world) => {
    const attempt = anyAttempt(random, world)
    const away = random.pick([0, 0, 0, 1])
    return {
      name: "VenueAccountStore.putAttempt",
      run: Effect.flatMap(VenueAccountStore, ({ findAttempt, putAttempt }) =>
        Effect.flatMap(findAttempt(attempt.account_key, attempt.id), (stored) =>
          putAttempt(
            // An attempt keeps the order that it is of.
            Option.match(stored, {
              onNone: () => ({ ...attempt, version: away }),
              onSome: (one) => ({ ...one, state: attempt.state, version: one.version + away })
            })
          )
        )
      )
    }
  },
  (random, world) => {
    const attempt = anyAttempt(random, world)
    return {
      name: "VenueAccountStore.putAttempt (new)",
      run: Effect.flatMap(VenueAccountStore, ({ putAttempt }) => putAttempt(attempt))
    }
  },
  (random, world) => {
    const [key, id] = [anyKey(random, world), random.pick(world.venueOrders)]
    return {
      name: "VenueAccountStore.findAttempt",
      run: Effect.flatMap(VenueAccountStore, ({ findAttempt }) => findAttempt(key, id))
    }
  },
  (random, world) => {
    const key = anyKey(random, world)
    return {
      name: "VenueAccountStore.listOpenAttempts",
      run: Effect.flatMap(VenueAccountStore, (store) => store.listOpenAttempts(key))
    }
  },
  (random, { bots, clientOrders }) => {
    const [bot, order] = [random.pick(bots), random.pick(clientOrders)]
    return {
      name: "VenueAccountStore.attemptsOf",
      run: Effect.flatMap(VenueAccountStore, ({ attemptsOf }) => attemptsOf(bot, order))
    }
  },
  () => ({
    name: "VenueAccountStore.nowMs",
    run: Effect.flatMap(VenueAccountStore, ({ nowMs }) => Effect.asVoid(nowMs))
  })
]
