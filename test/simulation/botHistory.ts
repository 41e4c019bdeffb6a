/**
 * Histories: bots, candles and what happens to them, as plain data that a seed gives.
 *
 * Each event waits a while for the one before it. To leave some out gives another history, which is
 * how one that fails is made short.
 */
import { makeRandom, type Random } from "@candlewick/core/kernel"
import { strategyKinds } from "./strategies.ts"

/** A bot of a history. */
export interface BotPlan {
  readonly strategy: string
  readonly seed: string
  /** After how many candles the time of its resting entries is over; never by default. */
  readonly entriesEndAfter?: number
}

/** The possible events. Processes and bots are numbered. */
export type Happening =
  | { readonly do: "start" | "pause" | "resumeRisk" | "close" | "rename"; readonly bot: number }
  | { readonly do: "stop"; readonly bot: number; readonly positions: "keep" | "close" }
  | { readonly do: "reconcile"; readonly bot: number; readonly accept: boolean }
  | { readonly do: "halt" | "resumeAll" }
  | { readonly do: "kill" | "restart" | "end" | "cut" | "mend" }
  | { readonly do: "freeze" | "lag"; readonly ms: number }
  | { readonly do: "skew"; readonly ms: number }
  | { readonly do: "move"; readonly bot: number }
  | { readonly do: "steal"; readonly bot: number; readonly ms: number }
  | {
      readonly do: "arm"
      readonly fault: "fail" | "lose" | "slow" | "kill" | "freeze"
      readonly after: number
      readonly isBefore: boolean
      readonly ms: number
    }
  | { readonly do: "store"; readonly fail: number; readonly lose: number; readonly slow: number }
  | { readonly do: "receiver"; readonly answer: "ok" | "broken" | "slow" }

/** When something happens, and to which process or through which one. */
export type HistoryEvent = Happening & { readonly afterMs: number; readonly process: number }

/** Everything of a history of bots on paper, so that it can be run again. */
export interface BotHistory {
  readonly kind: "bots"
  /** Gives candles and ids. */
  readonly seed: string
  /** Gives the order of tasks, and faults that come by themselves. */
  readonly order: string
  readonly bots: ReadonlyArray<BotPlan>
  readonly candleCount: number
  /** Time between two candles. */
  readonly tellMs: number
  readonly events: ReadonlyArray<HistoryEvent>
}

const processCount = 2

/** How far the clock of a process is ahead. */
const skewsMs = [-3_600_000, -5_000, 5_000, 3_600_000]

/** Something that may happen to bots and processes. */
export const drawHappening = (random: Random, botCount: number): Happening => {
  const bot = random.integer(0, botCount - 1)
  const ms = random.pick([20, 500, 3_000, 6_000, 12_000])
  const drawn = random.integer(0, 99)
  if (drawn < 6) return { do: "start", bot }
  if (drawn < 9) return { do: "pause", bot }
  if (drawn < 12) return { do: "stop", bot, positions: random.pick(["keep", "close"] as const) }
  if (drawn < 14) return { do: random.pick(["close", "resumeRisk"] as const), bot }
  if (drawn < 18) return { do: "reconcile", bot, accept: random.next() < 0.3 }
  if (drawn < 21) return { do: random.pick(["halt", "resumeAll", "resumeAll"] as const) }
  if (drawn < 28) return { do: "kill" }
  if (drawn < 38) return { do: "restart" }
  if (drawn < 41) return { do: "end" }
  if (drawn < 50) return { do: "freeze", ms }
  if (drawn < 53) return { do: "skew", ms: random.pick(skewsMs) }
  if (drawn < 62) return { do: "move", bot }
  if (drawn < 69) return { do: "steal", bot, ms }
  if (drawn < 70) return { do: "cut" }
  if (drawn < 73) return { do: "lag", ms: random.pick([20, 500, 2_000]) }
  if (drawn < 76) return { do: "mend" }
  if (drawn < 79) return { do: "receiver", answer: random.pick(["ok", "broken", "slow"] as const) }
  if (drawn < 84) return drawStore(random)
  return {
    do: "arm",
    fault: random.pick(["fail", "lose", "slow", "kill", "freeze"] as const),
    after: random.integer(0, 40),
    isBefore: random.next() < 0.5,
    ms
  }
}

const drawStore = (random: Random): Happening => {
  const rate = () => random.pick([0, 0, 0.01, 0.05])
  return { do: "store", fail: rate(), lose: rate(), slow: rate() }
}

/** A history of faults alone has no command that changes what bots decide. */
const isAllowed = (calm: "all" | "faults", { do: name }: Happening): boolean =>
  calm === "all" || !["pause", "stop", "close", "halt", "resumeAll", "resumeRisk"].includes(name)

const pauses = [0, 1, 10, 200, 1_000, 2_500]

/** The events that part the processes, so that one of them has seen less than the other. */
const parting: ReadonlySet<string> = new Set(["freeze", "steal", "lag", "move"])

/** Sets a time that passes during the history, after which no entry of a bot rests. */
export const withTimeLimit = (random: Random, bot: BotPlan, candleCount: number): BotPlan => ({
  ...bot,
  strategy: random.pick(["limit entries", "limit entries", "either entry"]),
  entriesEndAfter: random.integer(2, candleCount) + random.pick([0, 0, 0.4])
})

/** The history of bots that a seed gives. */
export const drawBotHistory = (seed: string): BotHistory => {
  const history = drawUntimedHistory(seed)
  const random = makeRandom(`${seed} time limits`)
  if (random.next() >= 0.1) return history
  const { bots, candleCount } = history
  return { ...history, bots: bots.map((bot) => withTimeLimit(random, bot, candleCount)) }
}

const drawUntimedHistory = (seed: string): BotHistory => {
  const random = makeRandom(`${seed} history`)
  const botCount = random.pick([1, 1, 1, 2, 2])
  const bots = Array.from({ length: botCount }, (_, at) => ({
    strategy: random.pick(strategyKinds),
    seed: `${seed} bot ${at}`
  }))
  const starts = bots.map((_, bot) => ({
    do: "start" as const,
    bot,
    afterMs: random.integer(0, 2_000),
    process: random.integer(0, processCount - 1)
  }))
  // Faults change nothing that a bot decides, so that its fills are those of its backtest.
  const calm = random.pick(["all", "faults", "faults"] as const)
  const events: Array<HistoryEvent> = [...starts]
  if (random.next() < 0.4) {
    const ms = random.pick(skewsMs)
    events.unshift({ do: "skew", ms, afterMs: 0, process: random.integer(0, processCount - 1) })
  }
  const eventCount = events.length + random.integer(0, 14)
  while (events.length < eventCount) {
    const happening = drawHappening(random, botCount)
    if (!isAllowed(calm, happening)) continue
    const process = random.integer(0, processCount - 1)
    if (happening.do === "steal" && random.next() < 0.6) {
      // The owner before hears of candles later than the one that takes its bot.
      events.push({ do: "lag", ms: 2_000, afterMs: random.pick(pauses), process: 1 - process })
    }
    events.push({ ...happening, afterMs: random.pick(pauses), process })
    if (!parting.has(happening.do) || random.next() < 0.5) continue
    // While two processes may take a bot for their own, both are asked for something.
    for (let nudge = random.integer(1, 3); nudge > 0; nudge--) {
      const bot = "bot" in happening ? happening.bot : random.integer(0, botCount - 1)
      const asked = random.pick([{ do: "rename" }, { do: "reconcile", accept: false }] as const)
      const isOther = happening.do === "steal" && random.next() < 0.7
      const through = isOther ? 1 - process : random.integer(0, processCount - 1)
      events.push({ ...asked, bot, afterMs: random.pick(pauses), process: through })
    }
  }
  const candleCount = random.integer(6, 16)
  // Candles come while things happen, and not all of them before or after.
  const lastsMs = events.reduce((sum, { afterMs }) => sum + afterMs, 0)
  const tellMs = Math.ceil((lastsMs * random.pick([0.5, 1, 1.5])) / candleCount)
  return {
    kind: "bots",
    seed,
    order: seed,
    bots,
    candleCount,
    tellMs: Math.min(1_500, Math.max(50, tellMs)),
    events
  }
}
