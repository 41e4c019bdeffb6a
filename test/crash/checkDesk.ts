/**
 * Whether an account that was halted entered nothing, one that was resumed does, and a log that was
 * followed came whole.
 */
import type { LogEntry, Order, Trade } from "@candlewick/core"
import { allOf, answerOf } from "./api.ts"
import { checkBooks, type Findings, newestCandle } from "./checks.ts"
import { type Desk, followLog, turnSwitch } from "./desk.ts"
import { until } from "./until.ts"
import { commandBot, repeatOpen } from "./workload.ts"

/** Nothing is entered, nor asked for, while the account is known to be halted. */
const checkQuiet = async ({ call, kept, quiet }: Desk, { losses }: Findings): Promise<void> => {
  for (const id of kept.bots.keys()) {
    for (const kind of ["trades", "orders"]) {
      for (const { created_at, leg } of await allOf<Order | Trade>(call, `/bots/${id}/${kind}`)) {
        const atMs = Date.parse(created_at)
        const isQuiet = quiet.some(({ sinceMs, untilMs }) => atMs > sinceMs && atMs < untilMs)
        if (leg === "entry" && isQuiet) losses.push(`bot ${id} entered at ${created_at}, halted`)
      }
    }
  }
}

/** The switch is as it was left, and every bot shows it. */
export const checkSwitch = async (desk: Desk, findings: Findings): Promise<void> => {
  const { call, halted, kept } = desk
  const { is_halted: isHalted } = (await answerOf(call, "GET", "/account")).body
  if (!halted.includes(isHalted)) findings.losses.push(`halted is ${isHalted}, not ${!isHalted}`)
  for (const id of kept.bots.keys()) {
    const { body } = await answerOf(call, "GET", `/bots/${id}/status`)
    if ((body.trading_state_reason === "kill_switch") !== isHalted) {
      findings.losses.push(`bot ${id} is ${body.trading_state_reason}, halted is ${isHalted}`)
    }
  }
  await checkQuiet(desk, findings)
}

/** Every line came, once and in order, and is what is kept. */
const checkHeard = async (
  { call, heard, kept }: Desk,
  { duplicates, losses }: Findings
): Promise<void> => {
  const [id] = kept.bots.keys()
  const lines = (await allOf<LogEntry>(call, `/bots/${id!}/logs`)).toReversed()
  const texts = new Map(lines.map((line) => [line.seq, JSON.stringify(line)]))
  for (const [index, line] of heard.entries()) {
    const before = index === 0 ? 0 : heard[index - 1]!.seq
    if (line.seq <= before) duplicates.push(`line ${line.seq} came after line ${before}`)
    if (line.seq > before + 1) losses.push(`line ${line.seq} came after line ${before}`)
    const text = texts.get(line.seq)
    // The oldest lines make room for new ones.
    const isKept = line.seq >= (lines[0]?.seq ?? 1)
    if (isKept && text !== JSON.stringify(line)) losses.push(`line ${line.seq} is ${text} by now`)
  }
}

/** The checks once no process is killed any more; `addCandles` brings some to enter at. */
export const checkDesk = async (
  desk: Desk,
  urls: () => ReadonlyArray<string>,
  addCandles: () => Promise<void>,
  findings: Findings
): Promise<void> => {
  const { call, heard, kept } = desk
  await repeatOpen(call, kept)
  await checkSwitch(desk, findings)
  const late = await until(
    async () => {
      await turnSwitch(desk, "resume", findings.faults)
      return !desk.halted.includes(true)
    },
    "the account could not be resumed",
    60_000
  )
  if (late !== null) findings.losses.push(late)
  const resumedMs = Date.now()
  const holding = new Set<string>()
  for (const id of kept.bots.keys()) {
    const { body } = await answerOf(call, "GET", `/bots/${id}/status`)
    if (body.open_positions.length > 0) holding.add(id)
    await until(
      async () => {
        await commandBot(call, kept, id, "start")
        return kept.bots.get(id)!.wanted.every((one) => one === "running")
      },
      "",
      60_000
    )
  }
  await addCandles()
  const end = await newestCandle(call)
  for (const id of kept.bots.keys()) {
    let state = ""
    const lost = await until(
      async () => {
        const { body } = await answerOf(call, "GET", `/bots/${id}/status`)
        state = `${body.status}, is to be ${body.desired_status}, ended: ${body.is_data_ended}`
        return body.status === "running" && body.is_data_ended && body.last_candle_at === end
      },
      `bot ${id} never came to the end of its candles`,
      600_000
    )
    if (lost !== null) findings.losses.push(`${lost}: it is ${state}`)
    const trades = (await allOf<Trade>(call, `/bots/${id}/trades`)).toReversed()
    await checkBooks(call, id, trades, findings)
    const hasEntered = trades.some(
      ({ created_at, leg }) => leg === "entry" && Date.parse(created_at) > resumedMs
    )
    if (!hasEntered && !holding.has(id)) findings.losses.push(`bot ${id} enters nothing, resumed`)
  }
  await checkSwitch(desk, findings)
  const [id] = kept.bots.keys()
  const [newest] = await allOf<LogEntry>(call, `/bots/${id!}/logs`)
  let isHeard = false
  const following = followLog(desk, urls, () => isHeard)
  const unheard = await until(
    async () => (heard.at(-1)?.seq ?? 0) >= newest!.seq,
    "the last lines of a log were never heard",
    60_000
  )
  isHeard = true
  await following
  if (unheard !== null) findings.losses.push(unheard)
  await checkHeard(desk, findings)
}
