/**
 * A second account beside that of the workload. Its kill switch is turned on and off while the
 * server is killed, and a reader follows the log of one of its bots all the time.
 */
import { Accounts, Ids, type LogEntry } from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import { readSettings } from "../../packages/http/src/main/settings.ts"
import { Pglite, Postgres, PostgresStore } from "@candlewick/store-postgres"
import { Effect, Layer } from "effect"
import type { Call } from "./api.ts"
import { sleep } from "./serverProcess.ts"
import { commandBot, createBot, Promises, repeatOpen, writeStrategy } from "./workload.ts"

/** When an account was known to be halted: from the answer on, to the asking to resume it. */
interface Quiet {
  readonly sinceMs: number
  untilMs: number
}

/** The commands to the account, and the known facts of it. */
export interface Desk {
  readonly key: string
  readonly call: Call
  readonly kept: Promises
  /** Whether it may be halted: an unanswered request may have been carried out. */
  halted: ReadonlyArray<boolean>
  readonly quiet: Array<Quiet>
  /** The lines of the log that is followed, in the order in which they came. */
  readonly heard: Array<LogEntry>
}

/** Adds the account to the stores of a server that is not there yet, as its host would. */
export const openDesk = async (
  call: Call,
  directory: string,
  environment: Readonly<Record<string, string>> = {}
): Promise<Desk> => {
  const { store } = readSettings({ CANDLEWICK_DATA_DIR: directory, ...environment })
  if (store.type === "memory") throw new Error("memory does not outlive a server")
  const database = store.type === "postgres" ? Postgres.layer(store) : Pglite.layerDirectory(store)
  const accounts = Accounts.layer.pipe(
    Layer.provide(Ids.layer),
    Layer.provide(PostgresStore.layerAlone),
    Layer.provide(database)
  )
  const { secret: key } = await Effect.runPromise(
    Effect.provide(
      Effect.flatMap(Accounts, ({ create }) => create("the other desk")),
      accounts
    )
  )
  const own: Call = (method, path, options = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...options.headers }
    return call(method, path, { ...options, headers })
  }
  return { key, call: own, kept: new Promises(), halted: [false], quiet: [], heard: [] }
}

/** Gives the account its bots, which trade, and halts it, so that the first kill finds it so. */
export const prepareDesk = async (desk: Desk, faults: Array<string>): Promise<void> => {
  const { call, kept } = desk
  const strategyId = await writeStrategy(call, kept, "the desk's strategy")
  for (const name of ["desk 1", "desk 2"]) {
    const id = await createBot(call, kept, name, strategyId!, false)
    if (id === null) throw new Error(`no bot: ${kept.surprises.join()}`)
    await commandBot(call, kept, id, "start")
  }
  await turnSwitch(desk, "halt", faults)
}

/** Turns the kill switch; what was not answered may have been done or not. */
export const turnSwitch = async (
  desk: Desk,
  command: "halt" | "resume",
  faults: Array<string>
): Promise<void> => {
  const { call, kept, quiet } = desk
  const isHalting = command === "halt"
  const before = desk.halted
  desk.halted = [...new Set([...before, isHalting])]
  const last = quiet.at(-1)
  if (!isHalting && last?.untilMs === Infinity) last.untilMs = Date.now()
  const answer = await call("POST", `/account/${command}`)
  const status = answer?.status
  if (!kept.isKept(answer, command)) {
    // It is turned before its bots are told, which may fail.
    if (status !== undefined && status !== 503) desk.halted = before
    return
  }
  desk.halted = [isHalting]
  const { bots_waiting: waiting, is_halted: isHalted } = answer.body
  if (isHalted !== isHalting) faults.push(`${command} was answered ${isHalted}`)
  // One that was not told may end the step that it is at.
  const isTold = isHalting && waiting.length === 0
  if (isTold && quiet.at(-1)?.untilMs !== Infinity) {
    quiet.push({ sinceMs: Date.now(), untilMs: Infinity })
  }
}

/** Turns the switch and tells bots to start and stop, until it is told to stop. */
export const keepTurning = async (
  desk: Desk,
  random: Random,
  faults: Array<string>,
  isOver: () => boolean
): Promise<void> => {
  const { call, kept } = desk
  const ids = [...kept.bots.keys()]
  while (!isOver()) {
    await repeatOpen(call, kept)
    if (random.next() < 0.5) {
      const isOn = desk.halted.includes(true)
      await turnSwitch(desk, random.next() < (isOn ? 0.5 : 0.1) ? "resume" : "halt", faults)
    } else {
      const command = random.next() < 0.8 ? "start" : "stop"
      await commandBot(call, kept, ids[random.integer(0, ids.length - 1)]!, command)
    }
    await sleep(random.next() * 800)
  }
}

/** The events of a stream that have come as a whole, and what is left of it. */
const eventsOf = (
  text: string
): { readonly lines: ReadonlyArray<LogEntry>; readonly rest: string } => {
  const events = text.split("\n\n")
  const rest = events.pop()!
  const lines = events.flatMap((event) => {
    const data = /^data: (.*)$/m.exec(event)?.[1]
    return data === undefined ? [] : [JSON.parse(data) as LogEntry]
  })
  return { lines, rest }
}

/** Follows the log of the first bot, from server to server, after the last line that came. */
export const followLog = async (
  { heard, kept, key }: Desk,
  urls: () => ReadonlyArray<string>,
  isOver: () => boolean
): Promise<void> => {
  const [id] = kept.bots.keys()
  const ending = new AbortController()
  const watch = setInterval(() => isOver() && ending.abort(), 50)
  while (!isOver()) {
    for (const url of urls()) {
      const headers = {
        authorization: `Bearer ${key}`,
        accept: "text/event-stream",
        "last-event-id": String(heard.at(-1)?.seq ?? 0)
      }
      try {
        const path = `${url}/api/v1/bots/${id!}/logs`
        const { body, status } = await fetch(path, { headers, signal: ending.signal })
        if (status !== 200 || body === null) continue
        let rest = ""
        for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
          const told = eventsOf(rest + chunk)
          rest = told.rest
          heard.push(...told.lines)
        }
      } catch {
        // It is gone, or this is over.
      }
    }
    await sleep(100)
  }
  clearInterval(watch)
}
