/**
 * The memory of a running bot between candles, its beginning, and its keeping.
 *
 * The picture of the account, the risk gate and the tallies are plain data and saved with each
 * candle. The state of the strategy's indicators is made again from the recorded candles.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot, BotState } from "../../domain/Bot.ts"
import type { Hindrance } from "../../domain/Hindrance.ts"
import type { PassedEntry } from "../../domain/PassedOver.ts"
import type { Adjustment, Mismatch } from "../../domain/Reconciliation.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import {
  type CodeByName,
  defaultValues,
  makeMarketStep,
  type SeriesTracks,
  SharedWindows,
  type SignalStep,
  type StrategyDefinition,
  timeframeMs,
  warmupOf
} from "@candlewick/engine"
import {
  type CandleColumns,
  type ClosedPart,
  type LadderMemory,
  makeMatchingAccount,
  makePositionSums,
  makeRiskGate,
  makeRunningEquity,
  type MarketSpec,
  type MatchingAccount,
  type NettingMode,
  type PositionSums,
  type RiskGate,
  type RunningEquity,
  sumPositions
} from "@candlewick/engine/kernel"
import type { MarketDataError } from "../../domain/MarketDataError.ts"
import type { MarketData } from "../../ports/MarketData.ts"
import type { LiveVenue } from "../venues/bots/liveVenue.ts"
import type { BareLot, ReportedLot } from "../venues/books/auditProtection.ts"
import type { DustLot } from "../venues/books/dustLots.ts"
import { refuseCode } from "../runs/runRecords.ts"
import type { LatePart } from "./lateParts.ts"
import { rememberAll } from "./rememberHeld.ts"
import { newestOf, refuseBehind, seenCandles, showSeen } from "./seenCandles.ts"

interface SessionPorts {
  readonly code: CodeByName
  readonly marketData: MarketData["Service"]
  /** The shared computations of the bots of this process. */
  readonly seriesTracks: SeriesTracks
}

/** The counts from fill to fill. */
export interface BotTallies {
  tradeCount: number
  tradingVolume: number
  firstTradeTime: number | null
  lastTradeTime: number | null
  /** The sums of the closed positions: they are kept as trades, one by one. */
  readonly positions: PositionSums
  /** First and last close of the first market, for buy and hold. */
  firstClose: number | null
  lastClose: number | null
}

/** The differences between the bot and the broker, and the gate as it was before. */
export interface KeptMismatch extends Mismatch {
  readonly gateBefore: Pick<RiskGate, "state" | "reason">
}

/** The first entry that was passed over in a market, by the number of that. */
export interface KeptPassedEntry extends Pick<PassedEntry, "candle_at" | "price" | "side"> {
  readonly market: number
}

/** Entries that were passed over, kept also after the bot could enter again. */
export interface KeptPassedOver {
  readonly since: string
  readonly until: string | null
  readonly count: number
  readonly firsts: ReadonlyArray<KeptPassedEntry>
  /** Markets in which an entry was wanted at the last candle already. */
  readonly wanted: ReadonlyArray<number>
  /** Last closes by market, once the bot could enter again. */
  readonly lastCloses?: ReadonlyArray<number | null>
}

/** The part of a session that is saved. */
export interface BotSnapshot {
  readonly account: MatchingAccount
  readonly gate: RiskGate
  readonly tallies: BotTallies
  readonly specs: ReadonlyArray<MarketSpec>
  /** How often the bot was given a new account, which sets the ids of its orders apart. */
  readonly epoch: number
  /** Open time of the last candle before the first one that counted. */
  readonly startedAfter: number | null
  /** Wall time of the last candle, in epoch milliseconds. */
  lastTickMs: number | null
  isDataEnded: boolean
  mismatch: KeptMismatch | null
  /** Sum of the amounts of all adjustments, and the newest of them, newest last. */
  adjusted: number
  adjustments: ReadonlyArray<Adjustment>
  /** Orders of others that were found at the broker, and are to be cancelled there. */
  disowned: ReadonlyArray<string>
  /** The measures of equity so far; none in a state of before that was kept. */
  running: RunningEquity | null
  /** The same without the newest candle, whose equity a fill after its close changes. */
  runningBefore: RunningEquity | null
  /** Until when equity was thinned to each day's end. */
  thinnedUntil: number | null
  /** The effect of entries beside a position; states that were kept before this field lack it. */
  readonly netting?: NettingMode | undefined
  /** The memory of each market's ladder; none where positions are entered as a whole. */
  ladders?: ReadonlyArray<LadderMemory> | undefined
  /** Parts of positions, or of lots, that are open still, of each market. */
  parts?: Array<ReadonlyArray<ClosedPart>> | undefined
  /** Parts of entries that filled too late, and are leaving. */
  late?: ReadonlyArray<LatePart> | undefined
  /** Lots whose stop does not rest at the venue, and since when. */
  bare?: ReadonlyArray<BareLot> | undefined
  /** Lots that were reported as bare, and whose stop has rested for a short time since. */
  bareTold?: ReadonlyArray<ReportedLot> | undefined
  /** When an exit that its venue has refused is asked for again, by the store's clock. */
  askAgainMs?: number | undefined
  /** Lots that are too small for their venue to sell. */
  dust?: ReadonlyArray<DustLot> | undefined
  /** Lots that were reported as too small, for as long as they are held. */
  dustTold?: ReadonlyArray<string> | undefined
  /** Levels that the last candle has moved; to move them again does nothing. */
  moves?: ReadonlyArray<LevelMove> | undefined
  /** The hindrances that keep the bot from opening positions; none where there are none. */
  hindrances?: ReadonlyArray<Hindrance> | undefined
  /** Entries that were passed over lately; none where no entry ever was. */
  passedOver?: KeptPassedOver | undefined
  /** By coin, fees that wait for a price; none where there are none. */
  unpricedFees?: Readonly<Record<string, string>> | undefined
  /** Whether an alert on hindrances was made for the bot. It may be deleted by now. */
  hasHindranceAlert?: boolean | undefined
}

/**
 * Where the stop and the target of all that is held in a market, or of a lot, go. An absent one
 * stays, and null takes one away.
 */
export interface LevelMove {
  readonly market: number
  readonly stop?: number | null | undefined
  readonly target?: number | null | undefined
  /** The client order id of the entry that opened the lot. */
  readonly lot?: string | undefined
}

/** A bot at work. */
export interface BotSession extends BotSnapshot {
  /** The venue of a live bot; null on paper, and where nothing is to be sent. */
  live: LiveVenue | null
  readonly definition: StrategyDefinition
  readonly steps: ReadonlyArray<SignalStep>
  /** Makes the steps compute together with other bots' steps, until they leave. */
  readonly shared: { readonly join: () => void; readonly leave: () => void }
  cursor: number | null
  stateVersion: number
}

/** As long as the broker never differed; states of before that was kept have none of it. */
const reconciled = { mismatch: null, adjusted: 0, adjustments: [], disowned: [] } as const

/** States of before equity was measured as it comes have none of it either. */
const unmeasured = { running: null, runningBefore: null, thinnedUntil: null } as const

/** The start of a new session. */
export const makeSnapshot = (
  capital: number,
  specs: ReadonlyArray<MarketSpec>,
  startedAfter: number | null,
  epoch: number,
  netting: NettingMode = "single"
): BotSnapshot => ({
  account: makeMatchingAccount(capital, specs.length),
  gate: makeRiskGate(capital),
  tallies: {
    tradeCount: 0,
    tradingVolume: 0,
    firstTradeTime: null,
    lastTradeTime: null,
    positions: makePositionSums(),
    firstClose: null,
    lastClose: null
  },
  specs,
  epoch,
  startedAfter,
  lastTickMs: null,
  isDataEnded: false,
  ...reconciled,
  running: makeRunningEquity(capital),
  runningBefore: null,
  thinnedUntil: null,
  netting
})

/** Tallies of before positions were added up have each of them. */
interface ListedTallies extends Omit<BotTallies, "positions"> {
  readonly closed: ReadonlyArray<{
    readonly pnl: number
    readonly returnRate: number
    readonly heldCount: number
  }>
}

const readTallies = (kept: BotTallies | ListedTallies): BotTallies => {
  if ("positions" in kept) return kept
  const { closed, ...tallies } = kept
  const positions = sumPositions(
    closed.map(({ heldCount, ...result }) => ({ ...result, entryIndex: 0, exitIndex: heldCount }))
  )
  return { ...tallies, positions }
}

/** Reads the saved state; the caller may change the copy. */
export const readSnapshot = (state: BotState): BotSnapshot => {
  const kept = structuredClone(state.snapshot) as unknown as BotSnapshot
  return { ...reconciled, ...unmeasured, ...kept, tallies: readTallies(kept.tallies) }
}

/** The part of a session that is to be saved, before the session changes again. */
export const toBotState = (botId: string, session: BotSession): BotState => {
  const {
    definition: _definition,
    live: _live,
    shared: _shared,
    steps: _steps,
    cursor,
    stateVersion,
    ...snapshot
  } = session
  return {
    bot_id: botId,
    cursor,
    snapshot: snapshot as never,
    version: stateVersion
  }
}

/**
 * The open time after which a bot that never ran begins, or null for the first candle.
 *
 * A bot follows a recording from its first candle, as a backtest reads it. An undefined rule is
 * false in both, so that they make the same fills. A live market is followed from now on: after the
 * newest of as many candles as the bot's indicators need.
 */
export const firstCursor = Effect.fnUntraced(function* (
  { code, marketData }: Pick<SessionPorts, "code" | "marketData">,
  definition: StrategyDefinition,
  { account_id: accountId, symbols }: Pick<Bot, "account_id" | "symbols">
): Effect.fn.Return<number | null, MarketDataError> {
  if (marketData.clock === "replay") return null
  // A strategy that looks at no candle before begins after the newest as well.
  const count = Math.max(1, warmupOf(definition, defaultValues(definition), code))
  const { timeframe } = definition
  const until = Number.MAX_SAFE_INTEGER
  const newest = yield* Effect.forEach(symbols, (symbol) =>
    marketData.history({ accountId, symbol, timeframe, until, count })
  )
  const times = newest.flatMap(({ time }) => time.at(-1) ?? [])
  return times.length === 0 ? null : Math.max(...times)
})

/**
 * Makes a session from the saved state, and shows the strategy the candles that it has seen. A
 * caller that is not going to follow the market needs none of them, however many there are.
 */
export const openSession = Effect.fnUntraced(function* (
  { code, marketData, seriesTracks }: SessionPorts,
  bot: Bot,
  definition: StrategyDefinition | null,
  saved: BotState,
  follows: "market" | "nothing" = "market"
): Effect.fn.Return<BotSession, Problem | StoreError | MarketDataError> {
  if (definition === null) {
    return yield* problem("strategy_not_ready", `The strategy of ${bot.id} has no definition.`)
  }
  yield* refuseCode(definition, code)
  const values = defaultValues(definition)
  const windows = new SharedWindows(bot.symbols)
  const tracks = follows === "market" ? seriesTracks : null
  const steps = bot.symbols.map((symbol) =>
    makeMarketStep(definition, values, symbol, code, windows, tracks)
  )
  const { cursor } = saved
  let seen: ReadonlyMap<string, CandleColumns> = new Map()
  if (cursor !== null && follows === "market") {
    const symbols = new Set([...bot.symbols, ...steps.flatMap(({ others }) => others)])
    seen = yield* seenCandles(marketData, bot, definition, symbols, cursor)
    for (const [market, step] of steps.entries()) {
      if (step.remembers) showSeen(step, bot.symbols[market]!, seen)
    }
    if (marketData.clock === "live") yield* refuseBehind(cursor, newestOf(bot.symbols, seen))
  }
  const session: BotSession = {
    ...readSnapshot(saved),
    definition,
    live: null,
    steps,
    shared: {
      join: () => steps.forEach(({ join }) => join(seen)),
      leave: () => steps.forEach(({ leave }) => leave())
    },
    cursor,
    stateVersion: saved.version
  }
  // A strategy may have been rewritten since.
  const hasLadder = steps.some(({ ladder }) => ladder !== null)
  session.ladders = hasLadder ? rememberAll(session.account.books, session.ladders) : undefined
  return session
})

/** Whether all that a bot holds in a market is too little for its venue to sell. */
export const isDustIn = ({ dust }: Pick<BotSnapshot, "dust">, market: number): boolean =>
  dust?.some((lot) => lot.market === market && lot.isWhole) === true

/** How long a candle of the session lasts. */
export const candleMs = (session: BotSession): number => timeframeMs(session.definition.timeframe)
