/**
 * Turns the account's kill switch on and off: while it is on, no bot of the account increases its
 * exposure.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Account, HaltOutcome, HaltRequest } from "../../domain/Account.ts"
import { restingStates } from "../../domain/BotMachine.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { KillSwitchMachine } from "../../domain/TradingStateMachine.ts"
import { KeyedRequest, type OnceOnly } from "../../ports/KeyedRequest.ts"
import { allPages } from "../allPages.ts"
import { nowTimestamp } from "../events/announce.ts"
import { isRetryable, type RunnerError } from "../bots/botFailure.ts"
import { type BotPorts, log } from "../bots/botPorts.ts"
import type { BotServices } from "../bots/changeBot.ts"
import { fireHaltAlerts } from "../bots/fireAlerts.ts"
import { required } from "../refusals.ts"
import { holdSwitch } from "./killSwitch.ts"
import { transactOnce } from "../transactOnce.ts"
import { untilKept } from "../untilKept.ts"

/** The bots that a halt notifies at a time: a store has so many connections. */
const notifiedAtOnce = 16

/** How often a halt notifies a bot again after its owner or the store did not answer. */
const notificationsMax = 3

/** A repetition notifies each bot anew: that is harmless, and it may have failed before. */
const unkeyed: OnceOnly = { once: (_step, work, transact) => transact(work) }

/** Keeps the switch and moves its alerts; nothing where it is so already. */
const turn = (
  ports: BotPorts,
  accountId: string,
  event: "halt" | "resume",
  reason: string | null
): Effect.Effect<
  { readonly account: Account; readonly changed: boolean },
  Problem | StoreError
> => {
  const turning = Effect.gen(function* () {
    yield* holdSwitch(ports, accountId)
    const account = yield* required(ports.accounts.get(accountId), "account", accountId)
    // A caller may turn the switch again where it stands so already.
    const to = StateTable.moveIfLegal(KillSwitchMachine, account.is_halted ? "on" : "off", event)
    if (Option.isNone(to)) return { account, changed: false }
    const kept = yield* ports.accounts.update({
      ...account,
      is_halted: to.value === "on",
      halted_reason: reason,
      updated_at: yield* nowTimestamp
    })
    yield* fireHaltAlerts(ports, kept)
    return { account: kept, changed: true }
  })
  return untilKept(transactOnce(ports.transactor, "turn", turning))
}

/** Cancels the entries that a bot decided before; returns their number. */
const withdraw = Effect.fnUntraced(function* (
  { host, ports }: BotServices,
  accountId: string,
  botId: string,
  isNews: boolean
): Effect.fn.Return<number, RunnerError> {
  const bot = Option.getOrNull(yield* ports.bots.get(accountId, botId))
  if (bot === null) return 0
  const open = yield* ports.orders.listOpen(botId)
  const count = open.filter(({ leg }) => leg === "entry").length
  // A working bot may be deciding just now.
  if (count > 0 || !restingStates.includes(bot.status)) {
    yield* host.ask(bot, { type: "halt", isNews })
  }
  return count
})

/**
 * Turns the kill switch on, and has all resting entries of the account cancelled.
 *
 * **Details**
 *
 * The process that is asked opens nothing from that moment on, however slow its store is. Once the
 * switch is kept, no step that begins enters anything in any process. Notifying a bot writes the
 * next version of its state. So an earlier step is over by then, or can't be kept any more. A bot
 * may not have been notified, because its broker did not answer or this process ended. It finds the
 * switch itself before its next candle.
 */
export const haltAccount = Effect.fn("Bots.haltAll")(function* (
  services: BotServices,
  accountId: string,
  request: HaltRequest = {}
): Effect.fn.Return<HaltOutcome, Problem | StoreError> {
  const { haltFlag } = services.ports
  yield* haltFlag.leaveOff(accountId)
  yield* haltFlag.raise(accountId)
  return yield* haltInStore(services, accountId, request).pipe(
    Effect.tapErrorTag("Problem", () => haltFlag.lower(accountId)),
    Effect.catchTag("StoreError", (error) =>
      Effect.gen(function* () {
        yield* Effect.logWarning(`account ${accountId} is halted in this process alone`, error)
        yield* haltFlag.workOn(accountId, haltLater(services, accountId, request))
        return yield* problem(
          "unavailable",
          "This process opens no positions for the account any more; its store did not take that yet."
        )
      })
    ),
    Effect.onInterrupt(() => haltFlag.workOn(accountId, haltLater(services, accountId, request)))
  )
})

/** How long a halt waits until it asks the store again. */
const haltAgainMs = 1_000

/** Goes on until the store has taken the switch, or somebody resumes the account. */
const haltLater = (
  services: BotServices,
  accountId: string,
  request: HaltRequest
): Effect.Effect<void> =>
  Effect.sleep(haltAgainMs).pipe(
    Effect.andThen(haltInStore(services, accountId, request)),
    Effect.provideService(KeyedRequest, unkeyed),
    Effect.tapErrorTag("Problem", () => services.ports.haltFlag.lower(accountId)),
    Effect.retry({ while: ({ _tag }) => _tag === "StoreError" }),
    Effect.ignore
  )

const haltInStore = Effect.fnUntraced(function* (
  services: BotServices,
  accountId: string,
  { reason }: HaltRequest
): Effect.fn.Return<HaltOutcome, Problem | StoreError> {
  const { host, ports } = services
  const { account, changed } = yield* turn(ports, accountId, "halt", reason ?? null)
  yield* ports.haltFlag.lower(accountId)
  const bots = yield* allPages((page) => ports.bots.list(accountId, page))
  const told = yield* Effect.forEach(
    bots,
    ({ id }) =>
      host.alone(id, withdraw(services, accountId, id, changed)).pipe(
        // Bots that trade are written to all the time, by their owners as well.
        Effect.retry({ times: notificationsMax, while: isRetryable }),
        Effect.map((cancelled) => ({ cancelled, waiting: [] as ReadonlyArray<string> })),
        Effect.catch((error) =>
          Effect.as(Effect.logWarning(`bot ${id} did not take the halt`, error), {
            cancelled: 0,
            waiting: [id]
          })
        )
      ),
    { concurrency: notifiedAtOnce }
  ).pipe(Effect.provideService(KeyedRequest, unkeyed))
  return {
    ...account,
    changed,
    orders_cancelled: told.reduce((sum, { cancelled }) => sum + cancelled, 0),
    bots_waiting: told.flatMap(({ waiting }) => waiting)
  }
})

/** Turns the kill switch off. A bot's own gate and hindrances stay as they are. */
export const resumeAccount = Effect.fn("Bots.resumeAll")(function* (
  { ports }: BotServices,
  accountId: string
): Effect.fn.Return<HaltOutcome, Problem | StoreError> {
  const { account, changed } = yield* turn(ports, accountId, "resume", null)
  yield* ports.haltFlag.leaveOff(accountId)
  yield* ports.haltFlag.lower(accountId)
  if (changed) {
    const bots = yield* allPages((page) => ports.bots.list(accountId, page))
    for (const { id, status } of bots) {
      if (restingStates.includes(status)) continue
      const line = log(ports, id, "info", "account.resumed", "the account is no longer halted")
      // It is resumed, whether or not a line shows it.
      yield* Effect.ignore(ports.transactor.transact(line))
    }
  }
  return { ...account, changed, orders_cancelled: 0, bots_waiting: [] }
})
