/**
 * Many bots on one database, made by a program that runs none of them: callers have limits that
 * would take an hour.
 */
import {
  Accounts,
  BotPlacement,
  Bots,
  Limits,
  operatorAccountId,
  RecordedMarketData,
  type StrategyDefinition
} from "@candlewick/core"
import { Postgres, PostgresStore } from "@candlewick/store-postgres"
import { Effect, Layer } from "effect"
import { botsOnStores, keepStrategy } from "../stories/world.ts"
import { ask } from "./placedBots.ts"

const makersCount = 8

/** The placement of a program that leaves all bots to others. */
const nobody = Layer.succeed(BotPlacement, {
  shareOf: (key) => key,
  isMine: () => false,
  hasOwner: () => Effect.succeed(true),
  takeLoss: () => null,
  serve: () => Effect.never
})

/**
 * Makes and starts bots of one strategy, on candles that everybody sees: as many in each account as
 * it may have, the operator's first.
 */
export const makeBots = (
  url: string,
  definition: StrategyDefinition,
  count: number
): Promise<void> => {
  const stores = PostgresStore.layerWith(nobody).pipe(
    Layer.provide(Postgres.layer({ url, connectionsMax: makersCount })),
    Layer.orDie
  )
  const world = botsOnStores(RecordedMarketData.layer).pipe(Layer.provideMerge(stores))
  const make = Effect.gen(function* () {
    const [accounts, bots] = [yield* Accounts, yield* Bots]
    const accountCount = Math.ceil(count / Limits.botsPerAccountMax)
    const makeSome = Effect.fnUntraced(function* (place: number) {
      const accountId =
        place === 0 ? operatorAccountId : (yield* accounts.create(`desk ${place}`)).account.id
      const { id: strategy_id } = yield* keepStrategy(accountId, definition)
      const first = place * Limits.botsPerAccountMax
      const last = Math.min(count, first + Limits.botsPerAccountMax)
      for (let index = first; index < last; index++) {
        yield* bots.create(accountId, {
          name: `one of many ${index}`,
          strategy_id,
          capital_allocation: 10_000,
          auto_start: true
        })
      }
    })
    yield* Effect.forEach(Array.from({ length: accountCount }).keys(), makeSome, {
      concurrency: makersCount,
      discard: true
    })
  })
  return Effect.runPromise(Effect.provide(make, world))
}

/**
 * Copies the first bot, which has not begun yet, until there are so many. A thousand bots made one
 * by one take half a minute of a processor.
 */
export const copyBots = async (url: string, count: number): Promise<void> => {
  await ask(
    url,
    `with made as (
       select bots.id, bots as bot, left(bots.id, 16) || upper(left(md5(n::text), 14)) as new_id
       from bots cross join generate_series(2, ${count}) n
       where bots.id = (select min(id) from bots)
     ), added as (
       insert into bots select (jsonb_populate_record(bot, jsonb_build_object(
         'id', new_id, 'record', replace((bot).record::text, id, new_id)::jsonb
       ))).* from made
     ), states as (
       insert into bot_states (bot_id, cursor, version, snapshot)
       select new_id, cursor, kept.version, snapshot from made
       join bot_states kept on kept.bot_id = made.id
     )
     insert into paper_accounts (bot_id, snapshot)
     select new_id, snapshot from made join paper_accounts kept on kept.bot_id = made.id`
  )
}

/** How many bots have seen a candle, and how often that was. */
interface Progress {
  readonly bots: number
  readonly steps: number
  readonly ended: number
}

/** How far the bots are. */
export const progressOf = async (url: string, lastCandleMs: number): Promise<Progress> => {
  const [row] = await ask<Progress>(
    url,
    `select count(*)::int as bots, coalesce(sum(version), 0)::int as steps,
      (count(*) filter (where cursor >= ${lastCandleMs}))::int as ended
     from bot_states`
  )
  return row!
}

/** Notes how far each bot is, for `standingStill`. */
export const noteSteps = async (url: string): Promise<void> => {
  await ask(url, "drop table if exists noted")
  await ask(url, "create table noted as select bot_id, version, cursor from bot_states")
}

/** How many steps bots have made since `noteSteps`. */
export const stepsSince = async (url: string): Promise<number> => {
  const [row] = await ask<{ readonly steps: number }>(
    url,
    `select coalesce(sum(now.version - noted.version), 0)::int as steps
     from bot_states now join noted using (bot_id)`
  )
  return row!.steps
}

/** How many bots have not gone on since `noteSteps`, though there are candles for them. */
export const standingStill = async (url: string, lastCandleMs: number): Promise<number> => {
  const [row] = await ask<{ readonly count: number }>(
    url,
    `select count(*)::int as count from bot_states now join noted using (bot_id)
     where now.version = noted.version and coalesce(noted.cursor, 0) < ${lastCandleMs}`
  )
  return row!.count
}

/** How many statements the servers have sent until now, those of these tests left out. */
export const statementsOf = async (url: string): Promise<number> => {
  const [row] = await ask<{ readonly count: number }>(
    url,
    `select coalesce(sum(calls), 0)::int as count from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database())
       and query not like '%pg_stat_statements%'`
  )
  return row!.count
}

/** A list of fills, and how many bots have exactly that one. */
interface SameFills {
  readonly fills: ReadonlyArray<string>
  readonly bots: number
}

/** The lists of fills that bots have come to, in the words of `placedBots.ts`. */
export const fillsOfAll = (url: string): Promise<ReadonlyArray<SameFills>> =>
  ask<SameFills>(
    url,
    `select fills, count(*)::int as bots from (
       select bot.id, coalesce(
         array_agg(
           concat_ws(' ', record->>'executed_at', record->>'side', record->>'amount',
             record->>'price', record->>'fee', record->>'leg') order by record->>'executed_at', trade.id
         ) filter (where trade.id is not null), '{}'
       ) as fills
       from bots bot left join trades trade on trade.bot_id = bot.id group by bot.id
     ) as bot group by fills order by bots desc`.replaceAll("record->>", "trade.record->>")
  )
