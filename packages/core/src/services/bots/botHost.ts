/**
 * The fibres of the bots that are placed on this process: one for each bot, supervised, with an
 * inbox.
 *
 * A placed bot gets a fibre at its start or at its process's. It loses it at rest, in error, or
 * when another process takes the bot. A bot of another process is left to it. That process looks
 * once a second for commands that were written down here. The host decides no trade and moves no
 * state: runners do.
 *
 * @since 0.1.0
 */
import { Clock, Deferred, Effect, FiberMap, Option, Queue, type Scope } from "effect"
import type { Bot, BotRef } from "../../domain/Bot.ts"
import { movingStates, restingStates } from "../../domain/BotMachine.ts"
import { problem } from "../../domain/Problem.ts"
import { exchangeOf } from "../../domain/VenueAccount.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { KeyedRequest, type OnceOnly } from "../../ports/KeyedRequest.ts"
import { WorkClass } from "../WorkClass.ts"
import { type ActiveBots, makeActiveBots } from "./activeBots.ts"
import type { RunnerError } from "./botFailure.ts"
import { type BotInbox, interruptWaiting, makeInbox, post } from "./botInbox.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { required } from "../refusals.ts"
import { isConflict } from "../untilKept.ts"
import { runBot } from "./botRunner.ts"
import { makeTurns, type BotTurns } from "./botTurns.ts"
import { type LossOfShare, lossesAt } from "./lostProcesses.ts"
import { concernsVenue, takeFactsAtRest } from "./takeFacts.ts"
import { allPages } from "../allPages.ts"
import { makeAccountAgents } from "../venues/agent/AccountAgents.ts"
import { type AgentReport, wordsOfReport } from "../venues/agent/AgentReport.ts"
import { wakeAgent } from "../venues/bots/followVenue.ts"
import { type AccountRef, accountOf, placementKeyOf } from "../venues/bots/liveVenue.ts"
import { runOnce, type BotTask, type BotTaskResult, writeDown } from "./botTasks.ts"

/** The runners as commands need them. */
export interface BotHost {
  /** Carries an effect out while no other command of the bot is under way. */
  readonly alone: BotTurns
  /**
   * Starts a fibre for a bot that was at rest, in place of one that is on its way out, unless
   * another process owns it.
   */
  readonly start: (bot: Bot) => Effect.Effect<void, StoreError>
  /** Wakes the fibre of a bot, or starts one where there is none. */
  readonly wake: (bot: Bot) => Effect.Effect<void, StoreError>
  /** Ends the fibre of a bot and waits for it. */
  readonly end: (botId: string) => Effect.Effect<void>
  /**
   * Passes a task to the bot's fibre, or does it at once if the bot has none. For a bot of
   * another process this is written down, and that process goes on from there.
   */
  readonly ask: (bot: Bot, task: BotTask) => Effect.Effect<BotTaskResult, RunnerError>
  /** Starts the fibres of the bots that are placed here, now and whenever shares move. */
  readonly resume: Effect.Effect<void, StoreError, Scope.Scope>
}

/** How long a fibre that waits for its store or broker may leave a caller without an answer. */
const patience = "30 seconds"

/** How often a bot is asked for that another process is busy with: longer than a share moves. */
const asksMax = 40
const askAgainMs = 200

/** How often a process looks for commands that another one took. */
const lookAgain = "1 second"

/** The fibre of a bot, and the share by which the bot is placed. */
interface Placed {
  readonly inbox: BotInbox
  /** The exchange account of a live bot. */
  readonly account: AccountRef | null
  readonly share: string
  /** The version of the bot that was looked at last. */
  seen: number
}

/** The fibres of this process. */
interface Fibres {
  readonly ports: BotPorts
  readonly running: FiberMap.FiberMap<string>
  readonly placed: Map<string, Placed>
  /** Whether an account may lack its agent: at first, with a share that came, and with one lost. */
  owesAgents: boolean
  readonly active: ActiveBots
}

/** The share of a bot. */
const shareOf = ({ placement }: BotPorts, bot: BotRef): string =>
  placement.shareOf(placementKeyOf(bot))

/** Takes the inbox away in one step with the last look at it, so that nothing is left in it. */
const leave = (fibres: Fibres, botId: string, inbox: BotInbox): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { placed, ports } = fibres
    if (placed.get(botId)?.inbox !== inbox) return interruptWaiting(inbox)
    placed.delete(botId)
    fibres.active.forget()
    return Effect.andThen(ports.hindered.leave(botId), interruptWaiting(inbox))
  })

/** The facts of a bot at rest. A lot that lacks its stop is audited while its venue is silent. */
const factsAtRest = (
  { ports }: Fibres,
  { accountId }: AccountRef,
  botId: string
): Effect.Effect<void> =>
  Effect.catchCause(takeFactsAtRest(ports, accountId, botId), (cause) =>
    Effect.logWarning(`bot ${botId} is at rest, and could not read its venue's facts`, cause)
  )

/** Makes a bot read the new facts of its venue. One at rest has no fibre, and gets one for it. */
const wakeFibre = (fibres: Fibres, account: AccountRef, botId: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const inbox = fibres.placed.get(botId)?.inbox
    if (inbox !== undefined) return post(inbox, { type: "wake" })
    return Effect.asVoid(FiberMap.run(fibres.running, botId, factsAtRest(fibres, account, botId)))
  })

/** Starts the fibre of a bot, whose share may have come from a process that was lost. */
const start = Effect.fnUntraced(function* (
  fibres: Fibres,
  bot: BotRef,
  lossOfShare: LossOfShare = () => null
) {
  const { account_id: accountId, id, version } = bot
  const { placed, ports, running } = fibres
  const share = shareOf(ports, bot)
  // Most bots are another's, and each is asked for once a second.
  if (!ports.placement.isMine(share)) return
  const inbox = yield* makeInbox
  const account = accountOf(bot)
  // Before the bot counts as placed: one whose agent could not begin is started again.
  if (account !== null) yield* wakeAgent(ports, account)
  placed.set(id, { account, inbox, share, seen: version })
  ports.hindered.follow(id)
  const loss = lossOfShare(share)
  if (loss !== null) {
    ports.hindered.noteWait(id, loss)
    yield* ports.hindered.show(id, [loss.kind])
  }
  const work = Effect.provideService(
    runBot(ports, accountId, id, inbox, () => ports.placement.isMine(share)),
    WorkClass,
    "bots"
  )
  const following = Effect.ensuring(work, leave(fibres, id, inbox))
  const whole =
    account === null ? following : Effect.andThen(following, factsAtRest(fibres, account, id))
  yield* FiberMap.run(running, id, whole)
})

/** Ends the fibres of a share, and waits for them. */
const leaveShare = (fibres: Fibres, share: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const own = [...fibres.placed].filter(([, one]) => one.share === share)
    const bots = Effect.forEach(own, ([botId]) => FiberMap.remove(fibres.running, botId), {
      concurrency: "unbounded",
      discard: true
    })
    return Effect.andThen(bots, fibres.ports.accountAgents.current?.leave(share) ?? Effect.void)
  })

/**
 * Starts the bots of this process that have no fibre, and wakes those that have news. Bots that are
 * as they were attended to last are not read again.
 */
const attend = Effect.fnUntraced(function* (fibres: Fibres) {
  const { active, placed, ports } = fibres
  const bots = yield* active.look
  if (bots === null) return
  const lossOfShare = lossesAt(yield* Clock.currentTimeMillis, ports.placement)
  for (const bot of bots) {
    const own = placed.get(bot.id)
    const isMoving = movingStates.includes(bot.status)
    if (own === undefined) yield* start(fibres, bot, lossOfShare)
    // A command that another process took.
    else if (isMoving || own.seen !== bot.version) {
      own.seen = bot.version
      yield* post(own.inbox, { type: "wake" })
    }
    // It is woken each second, until it has come to rest.
    if (isMoving && placed.has(bot.id)) active.forget()
  }
})

/** The exchange accounts with orders that are under way. Their bots may be deleted by now. */
const accountsWithOrders = ({ venueAccounts }: BotPorts) =>
  Effect.map(venueAccounts.listOpenAttempts(null), (open) => {
    const accounts = new Map<string, AccountRef>()
    for (const { account_id: accountId, account_key: key } of open) {
      accounts.set(key, { accountId, exchange: exchangeOf(accountId, key) })
    }
    return accounts.values()
  })

/**
 * Begins the agents of live bots that are at work here, of those at rest that hold something at
 * their venues, and of accounts with orders. An agent that begins compares its account, and wakes
 * all of its bots then.
 */
const attendAgents = Effect.fnUntraced(function* (fibres: Fibres) {
  const { placed, ports } = fibres
  for (const { account } of placed.values()) {
    if (account !== null) yield* wakeAgent(ports, account)
  }
  for (const account of yield* accountsWithOrders(ports)) yield* wakeAgent(ports, account)
  for (const bot of yield* ports.bots.listLiveAtRest) {
    const account = accountOf(bot)
    if (account === null || !ports.placement.isMine(shareOf(ports, bot))) continue
    if (!(yield* concernsVenue(ports, bot.id))) continue
    yield* wakeAgent(ports, account)
    // Its lots are audited before the venue answers.
    yield* wakeFibre(fibres, account, bot.id)
  }
})

const resume = Effect.fnUntraced(function* (fibres: Fibres) {
  const gains = yield* Queue.sliding<void>(1)
  yield* attend(fibres)
  const serving = fibres.ports.placement.serve({
    gained: Effect.asVoid(Queue.offer(gains, undefined)),
    lost: (share) => leaveShare(fibres, share)
  })
  yield* Effect.forkScoped(serving)
  const attendAll = Effect.fnUntraced(function* (gained: Option.Option<void>) {
    if (Option.isSome(gained)) {
      fibres.owesAgents = true
      fibres.active.gain()
    }
    yield* attend(fibres)
    if (!fibres.owesAgents) return
    fibres.owesAgents = false
    const owe = Effect.sync(() => void (fibres.owesAgents = true))
    yield* Effect.tapError(attendAgents(fibres), () => owe)
  })
  const again = Effect.timeoutOption(Queue.take(gains), lookAgain).pipe(
    Effect.flatMap(attendAll),
    Effect.catch((error) => {
      fibres.active.forget()
      return Effect.logWarning("bots could not be looked after", error)
    })
  )
  yield* Effect.forkScoped(Effect.forever(again))
})

/** Asks the fibre; null where there is none, or it ended before it came to that. */
const askFibre = Effect.fnUntraced(function* (
  { placed }: Fibres,
  bot: Bot,
  task: BotTask,
  keyed: OnceOnly
): Effect.fn.Return<BotTaskResult | null, RunnerError> {
  const inbox = placed.get(bot.id)?.inbox
  if (inbox === undefined || restingStates.includes(bot.status)) return null
  const done = yield* Deferred.make<BotTaskResult | null, RunnerError>()
  yield* post(inbox, { type: "task", task, keyed, done })
  const answered = yield* Effect.timeoutOption(Deferred.await(done), patience)
  return yield* Option.match(answered, {
    onNone: () => Effect.fail(problem("unavailable", "The bot waits for its store or its broker.")),
    onSome: Effect.succeed
  })
})

/**
 * Does it at once; null where another process wrote the bot's state meanwhile. The audit of a lot
 * that lacks its stop makes room for it, and goes on after it.
 */
const askAtRest = Effect.fnUntraced(function* (
  fibres: Fibres,
  bot: Bot,
  task: BotTask,
  keyed: OnceOnly
): Effect.fn.Return<BotTaskResult | null, RunnerError> {
  const { ports, running } = fibres
  const account = accountOf(bot)
  yield* FiberMap.remove(running, bot.id)
  const asked = Effect.catchIf(runOnce(ports, bot, task, keyed), isConflict, () =>
    Effect.succeed(null)
  )
  return yield* account === null
    ? asked
    : Effect.ensuring(asked, wakeFibre(fibres, account, bot.id))
})

const ask = Effect.fnUntraced(function* (
  fibres: Fibres,
  bot: Bot,
  task: BotTask
): Effect.fn.Return<BotTaskResult, RunnerError> {
  const { ports } = fibres
  const keyed = yield* KeyedRequest
  // Where another process was quicker, it decides again from the state that the other left.
  const asking = Effect.catchIf(askFibre(fibres, bot, task, keyed), isConflict, () =>
    Effect.succeed(null)
  )
  const answered = yield* asking
  if (answered !== null) return answered
  for (let asked = 0; asked < asksMax; asked++) {
    // The state that an ended fibre left behind is read anew.
    const found = yield* required(ports.bots.get(bot.account_id, bot.id), "bot", bot.id)
    const result = yield* restingStates.includes(found.status)
      ? askAtRest(fibres, found, task, keyed)
      : writeDown(ports, found, task, keyed)
    if (result !== null) return result
    yield* Effect.sleep(askAgainMs)
  }
  return yield* problem("unavailable", "Another process is busy with the bot; ask again.")
})

/** The bots of an exchange account that are at rest. */
const atRestIn = ({ ports }: Fibres, { accountId, exchange }: AccountRef) =>
  Effect.map(
    allPages((page) => ports.bots.list(accountId, page)),
    (bots) =>
      bots.filter(
        (bot) => restingStates.includes(bot.status) && accountOf(bot)?.exchange === exchange
      )
  )

const tellStopRefused = (
  { ports }: Fibres,
  { botId, clientOrderId, symbol, why }: Extract<AgentReport, { readonly type: "stop_refused" }>
): Effect.Effect<void> => {
  const message = `the venue has refused a stop of ${symbol}: ${why}; it is asked again`
  const fields = { client_order_id: clientOrderId }
  return Effect.ignore(log(ports, botId, "warn", "protection.refused", message, fields))
}

/** Wakes the bots of an exchange account that was compared, and logs the findings for a person. */
const hearAgent = (fibres: Fibres, account: AccountRef, news: AgentReport): Effect.Effect<void> => {
  // The account may have come back before its agent here had noticed that it was gone.
  if (news.type === "ousted") return Effect.sync(() => void (fibres.owesAgents = true))
  if (news.type === "reconciled") {
    const own = [...fibres.placed].filter(
      ([, one]) =>
        one.account?.accountId === account.accountId && one.account.exchange === account.exchange
    )
    const resting = Effect.orElseSucceed(atRestIn(fibres, account), () => [])
    return Effect.flatMap(resting, (others) => {
      const ids = new Set([...own.map(([botId]) => botId), ...others.map(({ id }) => id)])
      return Effect.forEach(ids, (botId) => wakeFibre(fibres, account, botId), { discard: true })
    })
  }
  if (news.type === "stop_refused") return tellStopRefused(fibres, news)
  const { botId, clientOrderId, type } = news
  const fields = {
    client_order_id: clientOrderId,
    ...(type === "asks_operator" && { exchange_order_id: news.exchangeOrderId })
  }
  return Effect.ignore(
    log(fibres.ports, botId, "error", `order.${type}`, wordsOfReport(news), fields)
  )
}

/** Makes the host; its fibres end with the scope. */
export const makeBotHost = Effect.fnUntraced(function* (ports: BotPorts) {
  const fibres: Fibres = {
    ports,
    running: yield* FiberMap.make<string>(),
    placed: new Map(),
    owesAgents: true,
    active: makeActiveBots(ports.bots)
  }
  ports.accountAgents.current = yield* makeAccountAgents({
    ports,
    placement: ports.placement,
    venues: ports.venues,
    wake: (account, botId) => wakeFibre(fibres, account, botId),
    report: (account, news) => hearAgent(fibres, account, news)
  })
  const host: BotHost = {
    alone: makeTurns(),
    start: (bot) => start(fibres, bot),
    wake: (bot) =>
      Effect.suspend(() => {
        const inbox = fibres.placed.get(bot.id)?.inbox
        return inbox === undefined ? start(fibres, bot) : post(inbox, { type: "wake" })
      }),
    end: (botId) => FiberMap.remove(fibres.running, botId),
    ask: (bot, task) => ask(fibres, bot, task),
    resume: resume(fibres)
  }
  return host
})
