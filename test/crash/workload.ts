/**
 * The acts of callers while the server is killed under them, and the answers that they were
 * promised.
 */
import type { StrategyDefinition } from "@candlewick/core"
import { makeRandom, type Random } from "@candlewick/core/kernel"
import type { Answer, AnswerBody, Call } from "./api.ts"
import { sleep } from "./serverProcess.ts"

export const symbol = "CRASH/USD"
const hourMs = 3_600_000
const startMs = Date.UTC(2020, 0, 1)

/** Buys below its average and sells above it, with a stop. */
export const definition: StrategyDefinition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {
    period: { kind: "integer", default: 20, min: 5, max: 60 },
    stop: { kind: "float", default: 0.03, min: 0.01, max: 0.2 }
  },
  long: {
    enter: {
      type: "below",
      left: { type: "price", field: "close" },
      right: {
        type: "mul",
        left: { type: "sma", period: { parameter: "period" } },
        right: { type: "constant", value: 0.995 }
      }
    },
    exit: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "sma", period: { parameter: "period" } }
    }
  },
  exits: { stop_loss: { type: "fraction", value: { parameter: "stop" } } }
}

export interface PromisedBot {
  readonly name: string
  /** Started once and never told anything again, so that it must trade as a backtest. */
  readonly isSteady: boolean
  /**
   * The states that it may have been told last: an unanswered command may have been carried out.
   */
  wanted: ReadonlyArray<string>
  /** Whether a command is under way: of two at once, nobody knows which came last. */
  isCommanded: boolean
}

export const runKinds = ["generate", "optimize", "backtest"] as const

export interface PromisedRun {
  readonly kind: (typeof runKinds)[number]
  /** Whether anybody asked it to end, answered or not. */
  isCancelled: boolean
  /** When it was acknowledged that it is to end, and how it had ended by then if it had. */
  acknowledged?: { readonly atMs: number; readonly status: string }
}

/** A request under a key of its own, whose answer has not come. */
export interface KeyedPost {
  readonly path: string
  readonly body: unknown
  readonly key: string
  readonly take: (body: AnswerBody) => void
  /** The end of it where it was refused. */
  readonly refuse?: () => void
}

/** A delivery that was asked for again: its event must come after that. */
export interface AskedAgain {
  readonly endpoint: number
  readonly eventId: string
  readonly askedMs: number
}

/** Everything that was answered with a yes. */
export class Promises {
  acknowledged = 0
  unanswered = 0
  /** Acknowledged writes by what they were. */
  readonly kinds = new Map<string, number>()
  /** Candles that were answered, and those that were sent. */
  candlesKept = 0
  candlesSent = 0
  readonly strategies = new Map<string, string>()
  readonly bots = new Map<string, PromisedBot>()
  readonly runs = new Map<string, PromisedRun>()
  readonly webhooks = new Set<string>()
  /** Strategies that were written, whose event is owed whatever became of them. */
  readonly announced = new Set<string>()
  /** Alerts, and the bots that they are of. */
  readonly alerts = new Map<string, string | null>()
  /** API keys and their text; those that were revoked too. */
  readonly keys = new Map<string, string>()
  readonly revoked = new Map<string, string>()
  /** Paths of what may be deleted by now, and of what was, with the time of the answer. */
  readonly leaving = new Set<string>()
  readonly deleted = new Map<string, number>()
  readonly askedAgain: Array<AskedAgain> = []
  readonly replays = new Map<string, { readonly endpoint: number; readonly askedMs: number }>()
  /** Endpoints whose secret may have changed to one that nobody has seen. */
  readonly rotating = new Set<number>()
  /** When every process was gone, in epoch milliseconds. */
  readonly restarts: Array<number> = []
  /** The command without a known outcome; it is repeated until it is answered. */
  readonly open = new Map<KeyedPost, string>()
  /** Names that were sent, each once. */
  readonly names = new Set<string>()
  readonly surprises: Array<string> = []

  /** Counts an answer; true where it promises something. */
  isKept(answer: Answer | null, what: string): answer is Answer {
    if (answer === null) {
      this.unanswered++
      return false
    }
    if (answer.status >= 200 && answer.status < 300) {
      this.acknowledged++
      this.kinds.set(what, (this.kinds.get(what) ?? 0) + 1)
      return true
    }
    // Too many requests, a store that is closing, a state that another command made.
    if (![409, 429, 503].includes(answer.status)) {
      this.surprises.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    return false
  }

  /** Whether something may be deleted by now. */
  isGoing(path: string): boolean {
    return this.leaving.has(path) || this.deleted.has(path)
  }
}

const candles = { random: makeRandom("crash candles"), closes: [100], rows: [] as Array<string> }

/** The first candles of a walk around 100 that never ends. */
const csvOf = (from: number, to: number): string => {
  const { closes, random, rows } = candles
  while (rows.length < to) {
    const index = rows.length
    const open = closes[index]!
    const pull = 0.1 * Math.log(open / 100)
    const close = Number((open * Math.exp(0.006 * random.normal() - pull)).toFixed(4))
    const high = (Math.max(open, close) * 1.002).toFixed(4)
    const low = (Math.min(open, close) * 0.998).toFixed(4)
    closes.push(close)
    rows.push([startMs + index * hourMs, open, high, low, close, 100].join(","))
  }
  return `time,open,high,low,close,volume\n${rows.slice(from, to).join("\n")}\n`
}

/** Sends the next candles; those that were not answered are sent again. */
export const importCandles = async (call: Call, kept: Promises, count: number): Promise<void> => {
  kept.candlesSent = Math.max(kept.candlesSent, kept.candlesKept + count)
  const csv = csvOf(kept.candlesKept, kept.candlesSent)
  const path = `/candles?symbol=${encodeURIComponent(symbol)}&timeframe=1h`
  const answer = await call("POST", path, { csv })
  if (kept.isKept(answer, "import")) kept.candlesKept = kept.candlesSent
}

/** Sends a request under its key; null where nobody knows what became of it, or it was refused. */
export const postOnce = async (
  call: Call,
  kept: Promises,
  post: KeyedPost,
  what: string
): Promise<string | null> => {
  const { body, key, path } = post
  const answer = await call("POST", path, { body, headers: { "idempotency-key": key } })
  const isUnderWay = answer?.status === 409 && answer.body.code === "idempotency_in_progress"
  // A repetition that comes too soon is not looked at: it doesn't say what became of the first.
  const isTooSoon = answer?.status === 429 && kept.open.has(post)
  const isUnknown = answer === null || answer.status === 503 || isUnderWay || isTooSoon
  if (isUnknown) kept.open.set(post, what)
  else kept.open.delete(post)
  if (!kept.isKept(answer, what)) {
    if (!kept.open.has(post)) post.refuse?.()
    return null
  }
  post.take(answer.body)
  return answer.body.id
}

/** Repeats every request whose outcome nobody knows. */
export const repeatOpen = async (call: Call, kept: Promises): Promise<void> => {
  for (const [post, what] of kept.open) await postOnce(call, kept, post, what)
}

const keyOf = (name: string): string => name.replaceAll(" ", "-")

export const writeStrategy = async (call: Call, kept: Promises, name: string) => {
  kept.names.add(name)
  const take = ({ id }: AnswerBody) => {
    kept.strategies.set(id, name)
    kept.announced.add(id)
  }
  const post = { path: "/mix/strategies", body: { name, definition }, key: keyOf(name), take }
  return postOnce(call, kept, post, "write")
}

export const createBot = async (
  call: Call,
  kept: Promises,
  name: string,
  strategyId: string,
  isSteady: boolean
) => {
  kept.names.add(name)
  const body = { name, strategy_id: strategyId, capital_allocation: 10_000 }
  const take = ({ id }: AnswerBody) =>
    kept.bots.set(id, { name, isSteady, wanted: ["stopped"], isCommanded: false })
  const post = { path: "/bots/create", body, key: keyOf(name), take }
  return postOnce(call, kept, post, "create")
}

const wantedBy = { start: "running", pause: "paused", stop: "stopped" } as const

export const commandBot = async (
  call: Call,
  kept: Promises,
  id: string,
  command: keyof typeof wantedBy,
  body?: object
): Promise<void> => {
  const bot = kept.bots.get(id)
  if (bot === undefined || bot.isCommanded) return
  bot.isCommanded = true
  const before = bot.wanted
  bot.wanted = [...new Set([...before, wantedBy[command]])]
  const answer = await call("POST", `/bots/${id}/${command}`, body === undefined ? {} : { body })
  bot.isCommanded = false
  if (answer?.status === 404 && kept.isGoing(`/bots/${id}`)) return
  // A refusal changes nothing; a store that was too slow may have kept it.
  const isRefused = answer !== null && answer.status !== 503
  if (kept.isKept(answer, command)) bot.wanted = [wantedBy[command]]
  else if (isRefused) bot.wanted = before
}

/** The requests for a run of each kind, small and large by turns. */
const runBody = (kind: PromisedRun["kind"], strategyId: string | undefined, random: Random) => {
  const seed = random.integer(0, 9)
  switch (kind) {
    case "generate": {
      const asked = { objective: "sharpe", risk_tolerance: "medium", timeframe: "1h" }
      return { ...asked, symbols: [symbol], max_candidates: random.integer(5, 120), seed }
    }
    case "optimize":
      return { strategy_id: strategyId, max_trials: random.integer(40, 1_200), seed }
    case "backtest":
      return { strategy_id: strategyId }
  }
}

/** Asks a run to end. */
const cancelRun = async (call: Call, kept: Promises, id: string): Promise<void> => {
  const run = kept.runs.get(id)!
  // One that is not answered may have been cancelled or not.
  run.isCancelled = true
  const answer = await call("POST", `/mix/${run.kind}/${id}/cancel`)
  if (!kept.isKept(answer, `cancel ${run.kind}`)) return
  run.acknowledged ??= { atMs: Date.now(), status: answer.body.status }
}

const startRun = async (call: Call, kept: Promises, random: Random): Promise<void> => {
  const [strategyId] = kept.strategies.keys()
  const kind = (["optimize", "generate", "backtest", "optimize"] as const)[random.integer(0, 3)]!
  const body = runBody(kind, strategyId, random)
  const take = ({ id }: AnswerBody) => kept.runs.set(id, { kind, isCancelled: false })
  const key = `run-${random.integer(0, 2 ** 40)}`
  const id = await postOnce(call, kept, { path: `/mix/${kind}`, body, key, take }, kind)
  if (id === null || random.next() > 0.3) return
  await sleep(random.next() < 0.5 ? 0 : random.next() * 300)
  await cancelRun(call, kept, id)
}

/** Callers who go on until they are told to stop. */
export const keepBusy = async (
  call: Call,
  kept: Promises,
  random: Random,
  isOver: () => boolean
): Promise<void> => {
  const lane = async (pauseMs: number, act: (random: Random) => Promise<void>, name: string) => {
    const own = random.fork(name)
    while (!isOver()) {
      await act(own)
      await sleep(own.next() * pauseMs)
    }
  }
  await Promise.all([
    lane(400, (own) => importCandles(call, kept, own.integer(2, 12)), "candles"),
    lane(400, (own) => startRun(call, kept, own), "runs"),
    lane(
      150,
      async (own) => {
        const moody = [...kept.bots].filter(
          ([id, { isSteady }]) => !isSteady && !kept.isGoing(`/bots/${id}`)
        )
        const chosen = moody[own.integer(0, moody.length - 1)]
        if (chosen === undefined) return
        const [id] = chosen
        const command = (["start", "pause", "stop", "start"] as const)[own.integer(0, 3)]!
        const isClosing = command === "stop" && own.next() < 0.5
        await commandBot(call, kept, id, command, isClosing ? { positions: "close" } : undefined)
      },
      "commands"
    ),
    lane(
      1_500,
      async (own) => {
        const name = `${own.integer(0, 2 ** 40)}`
        if (own.next() < 0.7) await writeStrategy(call, kept, `strategy ${name}`)
        else if (kept.bots.size < 7) {
          const [strategyId] = kept.strategies.keys()
          await createBot(call, kept, `bot ${name}`, strategyId!, false)
        }
      },
      "records"
    ),
    lane(600, () => repeatOpen(call, kept), "repetitions")
  ])
}
