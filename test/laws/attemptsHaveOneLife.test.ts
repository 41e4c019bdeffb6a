/**
 * Requests are lost, delayed and repeated, and the process ends anywhere. An order still has at
 * most one life at the exchange, and each of its trades is kept once, before its end.
 */
import type { OrderAttempt } from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import type { VenueCall, VenueFault } from "@candlewick/core/testing"
import { assert, it } from "@effect/vitest"
import { BigDecimal, Effect } from "effect"
import { decimalOfUnsafe } from "../../packages/core/src/domain/decimals.ts"
import type { AgentPorts } from "../../packages/core/src/services/venues/agent/agentState.ts"
import { btc, makeWorld, pass } from "../services/venues/accountWorld.ts"
import { atLeast, draws } from "../draws.ts"

const timeoutMs = 900_000
const faultySeconds = 40
const quietSeconds = 75
const orderCount = 4

const drawFaultOf =
  (random: Random, isFaulty: () => boolean) =>
  (call: VenueCall): VenueFault => {
    if (!isFaulty()) return {}
    const lagMs = random.integer(0, 1_500)
    const slow = { delayMs: random.integer(0, 5_500), answerMs: random.integer(0, 2_000), lagMs }
    if (call.type !== "submit" && call.type !== "cancel") {
      if (random.next() < 0.1) return { outcome: "lost_before" }
      return random.next() < 0.3 ? slow : { lagMs }
    }
    const outcome = random.pick([
      ...([undefined, undefined, undefined] as const),
      ...(["lost_before", "lost_after", "hangs_before", "hangs_after", "not_sent"] as const)
    ])
    return random.next() < 0.5 ? { ...slow, outcome } : { outcome }
  }

/** Ends a process before or after one of its transactions: it hears nothing more and does nothing. */
const crashing = (random: Random, note: () => void) => {
  let left = random.integer(3, 40)
  const isBefore = random.next() < 0.5
  return (ports: AgentPorts): AgentPorts => {
    const { transact } = ports.transactor
    const crash = Effect.andThen(Effect.sync(note), Effect.never)
    const transactOrCrash: typeof transact = (work) =>
      Effect.suspend(() => {
        left -= 1
        if (left !== 0) return transact(work)
        return isBefore ? crash : Effect.andThen(transact(work), crash)
      })
    return { ...ports, transactor: { ...ports.transactor, transact: transactOrCrash } }
  }
}

const sum = (amounts: ReadonlyArray<string>) => BigDecimal.sumAll(amounts.map(decimalOfUnsafe))

const story = Effect.fnUntraced(function* (random: Random, met: Record<string, number>) {
  let isFaulty = true
  let crashes = 0
  const world = yield* makeWorld({
    balances: { USDT: "10000", BTC: "20" },
    capabilities: { readLagMs: 1_500 },
    habits: {
      partChance: 0.4,
      rejectChance: 0.05,
      repeatChance: 0.3,
      fillDelayMs: 2_000,
      tellDelayMs: 3_000
    },
    random: () => random.next(),
    drawFault: drawFaultOf(random.fork("faults"), () => isFaulty),
    drawHint: () => random.pick(["told", "lost", "twice", "gap"]),
    portsOf: (ports) => (isFaulty ? crashing(random, () => void (crashes += 1))(ports) : ports)
  })
  const attempts: Array<OrderAttempt> = []
  let agent = yield* world.begin
  let seen = 0
  for (let second = 0; second < faultySeconds; second++) {
    if (attempts.length < orderCount && random.next() < 0.3) {
      const isEntry = random.next() < 0.6
      const limitPrice = random.pick(["99", "101"])
      attempts.push(
        yield* world.decide({
          leg: isEntry ? "entry" : "exit",
          side: isEntry ? "buy" : "sell",
          botId: random.pick(world.bots).id,
          quantity: random.pick(["1", "0.5", "2.125"]),
          ...(random.next() < 0.5 && { limitPrice })
        })
      )
    }
    if (attempts.length > 0 && random.next() < 0.05) yield* world.takeBack(random.pick(attempts))
    yield* world.model.moveTo(btc.symbol, random.pick(["98.5", "99.5", "100.5", "101.5"]))
    yield* pass(1)
    if (crashes > seen) {
      seen = crashes
      yield* agent.end
      agent = yield* world.begin
    } else if (random.next() < 0.03) {
      // The process before does not know yet that it has lost the account.
      agent = yield* world.begin
      met["taken over"] = (met["taken over"] ?? 0) + 1
    }
  }
  isFaulty = false
  yield* agent.end
  yield* world.begin
  yield* pass(quietSeconds)
  met["crashes"] = (met["crashes"] ?? 0) + crashes
  return { world, attempts }
})

it.effect(
  "an order has one life at the exchange, whatever happens on the way",
  () =>
    Effect.gen(function* () {
      const met: Record<string, number> = {}
      const note = (what: string) => void (met[what] = (met[what] ?? 0) + 1)
      for (const { random, seed } of draws("one life", 400)) {
        const { attempts, world } = yield* story(random, met)
        const [orders, trades] = [yield* world.orders, yield* world.trades]
        for (const attempt of new Set(attempts)) {
          const all = yield* world.attemptsOf(attempt)
          const ids = all.map(({ id }) => id)
          if (all.some(({ state }) => state === "absent")) note("absent")
          if (all.length > 1) note("again")
          const lives = orders.filter(
            ({ filled, id, status }) =>
              ids.includes(id ?? "") && (status === "open" || BigDecimal.isPositive(filled))
          )
          assert.isAtMost(lives.length, 1, `${seed}: ${attempt.client_order_id}`)
          const open = all.filter(({ state }) => state === "unknown" || state === "sending")
          assert.deepStrictEqual(open, [], seed)
          const own = trades.filter(({ orderId }) => ids.includes(orderId ?? ""))
          const facts = (yield* world.factsOf(attempt.bot_id))
            .map(({ fact }) => fact)
            .filter((fact) => fact.client_order_id === attempt.client_order_id)
          const kept = facts.filter(({ type }) => type === "trade")
          assert.deepStrictEqual(
            kept.map(({ id }) => id).toSorted(),
            own.map(({ id }) => id).toSorted(),
            seed
          )
          const end = facts.findIndex(({ type }) => type === "ended")
          if (end >= 0) {
            note("ended")
            assert.strictEqual(end, facts.length - 1, `${seed}: a trade after the end`)
          }
          const filled = sum(all.map(({ filled_quantity }) => filled_quantity))
          assert.isTrue(BigDecimal.equals(filled, sum(own.map(({ quantity }) => quantity))), seed)
        }
        assert.isTrue(
          orders.every(({ id }) => id !== null),
          seed
        )
      }
      for (const what of ["absent", "again", "crashes", "taken over", "ended"]) {
        assert.isAbove(met[what] ?? 0, atLeast(20), what)
      }
    }).pipe(Effect.scoped),
  timeoutMs
)
