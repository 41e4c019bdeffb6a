/**
 * The records of a bot that its expected results are compared with, all of one moment.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { EquityPoint } from "../../domain/Backtest.ts"
import type { Bot } from "../../domain/Bot.ts"
import { Limits } from "../../domain/Limits.ts"
import type { LogEntry } from "../../domain/LogEntry.ts"
import type { Order, Trade } from "../../domain/Order.ts"
import type { Page, PageRequest } from "../../domain/Page.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { BotPorts } from "./botPorts.ts"
import { type BotSnapshot, readSnapshot } from "./botSession.ts"
import { requireBot, requireHeldBot } from "./changeBot.ts"
import { accountIdPrefix } from "./clientIds.ts"
import { linesOfAccount } from "./heldBack.ts"
import { keptState } from "./keptState.ts"

const pageLimit = 1_000

/** Readings before the bot is held for one: a quick replay may write into each of them. */
const freeReadingsCount = 3

/** The kept records of a bot at one moment. */
export interface ExpectedRecords {
  readonly bot: Bot
  readonly cursor: number | null
  readonly snapshot: BotSnapshot
  /** Its fills since its account began, oldest first. */
  readonly made: ReadonlyArray<Trade>
  /** Of this account, oldest first, as the lines of its log are. */
  readonly orders: ReadonlyArray<Order>
  readonly lines: ReadonlyArray<LogEntry>
  readonly points: ReadonlyArray<EquityPoint>
}

type Reading = Effect.Effect<ExpectedRecords, Problem | StoreError>

/** The newest items of a list, oldest first. */
const newest = Effect.fnUntraced(function* <A>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, StoreError>,
  count: number
): Effect.fn.Return<ReadonlyArray<A>, StoreError> {
  const items: Array<A> = []
  let before: string | undefined
  while (items.length < count) {
    const page: Page<A> = yield* list({ limit: Math.min(pageLimit, count - items.length), before })
    items.push(...page.items)
    if (page.next === null) break
    before = page.next
  }
  return items.toReversed()
})

/** Which write of a bot was the last one: each of them moves its state or its record. */
const momentOf = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Effect.Effect<Bot, Problem | StoreError>
) {
  const kept = yield* bot
  const state = yield* keptState(ports, kept)
  return { bot: kept, state, version: `${kept.version} ${state.version}` }
})

type Moment = Effect.Success<ReturnType<typeof momentOf>>

const readAt = Effect.fnUntraced(function* (
  { journal, orders }: Pick<BotPorts, "journal" | "orders">,
  { bot, state }: Moment
): Effect.fn.Return<ExpectedRecords, Problem | StoreError> {
  const snapshot = readSnapshot(state)
  const { tradeCount } = snapshot.tallies
  const { expectedCandlesMaxCount: candlesMax, reportTradesMaxCount: tradesMax } = Limits
  if (tradeCount > tradesMax) {
    return yield* problem(
      "unprocessable",
      `A bot is compared up to ${tradesMax} fills; this one has ${tradeCount}.`
    )
  }
  const { account_id: accountId, id } = bot
  const ordered = yield* newest((page) => orders.list(accountId, id, page), candlesMax)
  const prefix = accountIdPrefix(bot, snapshot.epoch)
  return {
    bot,
    cursor: state.cursor,
    snapshot,
    // Fills of accounts that the bot had before are not counted by this one.
    made: yield* newest((page) => orders.listTrades(accountId, id, page), tradeCount),
    orders: ordered.filter(({ client_order_id: clientId }) => clientId.startsWith(prefix)),
    lines: linesOfAccount(
      yield* newest((page) => journal.list(id, page), Limits.logsPerBotMaxCount)
    ),
    points: yield* journal.listEquity(id, { limit: candlesMax })
  }
})

/**
 * Reads the records of a bot as they are together. A write to the bot in between makes it read them
 * again, and at last with the bot held, which lets no writer in between.
 */
export const readExpectedRecords = Effect.fnUntraced(function* (
  ports: BotPorts,
  accountId: string,
  id: string
): Effect.fn.Return<ExpectedRecords, Problem | StoreError> {
  const found = requireBot(ports, accountId, id)
  for (let count = 0; count < freeReadingsCount; count++) {
    const before = yield* momentOf(ports, found)
    const records = yield* readAt(ports, before)
    const after = yield* momentOf(ports, found)
    if (after.version === before.version) return records
  }
  const held: Reading = Effect.flatMap(
    momentOf(ports, requireHeldBot(ports, accountId, id)),
    (moment) => readAt(ports, moment)
  )
  return yield* ports.transactor.transact(held)
})
