/**
 * `candlewick doctor`: lists the faults of this machine that would stop Candlewick, each with its
 * remedy.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { accessSync, constants, existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Connections, targetOf } from "../terminal/Connections.ts"
import { refused, reportFailure } from "../terminal/failures.ts"
import { show } from "../terminal/output.ts"
import { serverModules, settingsOf } from "./connections.ts"

interface Finding {
  readonly check: string
  readonly is_ok: boolean
  readonly detail: string
}

const found = (check: string, isOk: boolean, detail: string): Finding => ({
  check,
  is_ok: isOk,
  detail
})

/** How an attempt went, as a finding. */
const attempt = <A, E, R>(
  check: string,
  effect: Effect.Effect<A, E, R>,
  good: (value: A) => string
) =>
  Effect.match(effect, {
    onSuccess: (value) => found(check, true, good(value)),
    onFailure: (error) => found(check, false, reportFailure(error).lines.join(" "))
  })

const nodeMin = "22.19.0"

const node = (): Finding => {
  const { version } = process
  const isOk = version.slice(1).localeCompare(nodeMin, "en", { numeric: true }) >= 0
  return found("node", isOk, isOk ? version : `${version}: install Node ${nodeMin} or newer`)
}

/** Whether a directory can be written, or made. */
const isWritable = (path: string): boolean => {
  let place = resolve(path)
  while (!existsSync(place)) place = dirname(place)
  try {
    accessSync(place, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The data and the port of a server that would start here. */
const checkHere = Effect.fnUntraced(function* (directory: string | null) {
  const settings = yield* settingsOf({ directory })
  const { host, port, store } = settings
  const { open } = yield* Connections
  const { portIsFree } = yield* serverModules
  const read = (check: string) =>
    attempt(
      check,
      Effect.scoped(
        Effect.flatMap(open({ url: null, key: null, directory }), ({ client }) =>
          client.candles.list({ query: { limit: 100 } })
        )
      ),
      ({ data }) => `it opens; ${data.length} series of candles`
    )
  const findings: Array<Finding> = []
  if (store.type === "embedded") {
    const path = resolve(store.directory)
    if (existsSync(join(path, "pg"))) findings.push(yield* read(`data in ${path}`))
    else {
      const isOk = isWritable(path)
      const detail = isOk ? "nothing yet; the first start makes it" : "it can't be written"
      findings.push(found(`data in ${path}`, isOk, detail))
    }
  } else findings.push(yield* read(store.type === "memory" ? "memory" : "database"))
  const isFree = portIsFree({ host, port })
  findings.push(yield* attempt(`port ${port} on ${host}`, isFree, () => "free"))
  return findings
})

/** `candlewick doctor`. @category commands @since 0.1.0 */
export const doctor = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const target = yield* targetOf
    const { open } = yield* Connections
    const findings = [node()]
    if (target.url === null) {
      const { unknownVariables } = yield* serverModules
      findings.push(
        ...unknownVariables(process.env).map((sentence) => found("variables", false, sentence))
      )
      const here = yield* Effect.result(checkHere(target.directory))
      if (here._tag === "Success") findings.push(...here.success)
      else findings.push(found("settings", false, here.failure.message))
    } else {
      const account = Effect.flatMap(open(target), ({ client }) => client.account.get())
      const check = `server ${target.url}`
      findings.push(
        yield* attempt(check, Effect.scoped(account), ({ id }) => `it answers account ${id}`)
      )
    }
    yield* show({ findings }, () =>
      findings
        .map(({ check, detail, is_ok: isOk }) => `${isOk ? "ok   " : "FAULT"}  ${check}: ${detail}`)
        .join("\n")
    )
    const faultCount = findings.filter(({ is_ok: isOk }) => !isOk).length
    if (faultCount > 0) return yield* refused(`${faultCount} of ${findings.length} are at fault.`)
  })
).pipe(Command.withDescription("Check whether Candlewick can work here"))
