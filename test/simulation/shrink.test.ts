/**
 * A history that fails is made short, and printed with commands that run it again.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { historyAsked, readArguments, tellFailure } from "./commands.ts"
import { drawHistory, type History, live } from "./history.ts"
import type { Failure, Run } from "./shrink.ts"

const eventCount = 20

/** The first history of live bots with so many events. */
const drawLong = (): History => {
  for (let seed = 0; ; seed++) {
    const history = drawHistory(`${live}${seed}`)
    if (history.events.length === eventCount) return history
  }
}

const violation = "two events do not go together"

/** A product that fails where two events are in one history, whatever else is. */
const failsWith = (...needed: ReadonlyArray<unknown>): Run => {
  const texts = needed.map((event) => JSON.stringify(event))
  return ({ events }) => {
    const has = new Set(events.map((event) => JSON.stringify(event)))
    return { violation: texts.every((text) => has.has(text)) ? violation : null }
  }
}

/** The arguments that a shell gives the program of a printed command. */
const argumentsOf = (said: string, option: string): ReadonlyArray<string> => {
  const start = `npm run simulate -- ${option} `
  const line = said.split("\n").find((one) => one.startsWith(start))
  assert.isDefined(line, said)
  const echoed = line.replace("npm run simulate --", "printf '%s\\n'")
  return execFileSync("sh", ["-c", echoed], { encoding: "utf8" }).trimEnd().split("\n")
}

const askedBy = (said: string, option: string): History =>
  historyAsked(readArguments(argumentsOf(said, option)))!

describe("a history that fails", () => {
  const history = drawLong()
  const needed = [history.events[5]!, history.events[13]!]
  const run = failsWith(...needed)
  const failure: Failure = { history, violation }

  it("is printed as short as it can be, with a command that repeats it", () => {
    const said = tellFailure(failure, run)
    const short = askedBy(said, "--history")
    assert.deepStrictEqual([...short.events], needed)
    assert.strictEqual(run(short).violation, violation)
    assert.include(said, violation)
  })

  it("is printed with a command for its seed, which gives it whole", () => {
    const whole = askedBy(tellFailure(failure, run), "--seed")
    assert.deepStrictEqual(whole, history)
    assert.strictEqual(run(whole).violation, violation)
  })
})
