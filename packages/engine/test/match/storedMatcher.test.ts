/**
 * Later engines read the matchers that an engine has stored. The bytes of each version of the
 * layout are kept, and go on to the same fills for ever.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { readBlock } from "../../src/match/matcherBlock.ts"
import { matcherVersion } from "../../src/match/matcherCodes.ts"
import { cashAt, versionAt } from "../../src/match/matcherLayout.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import { makeOutcome } from "../../src/kernel/account.ts"
import {
  laterOf,
  openStored,
  restore,
  store,
  type StoredMatcher,
  storedMatchers,
  storedNettings
} from "./storedMatcher.ts"

const readStored = (file: string): ReadonlyArray<StoredMatcher> =>
  JSON.parse(readFileSync(join(storedMatchers, file), "utf8"))

const files = readdirSync(storedMatchers)
const latest = `version${matcherVersion}.json`

const lacksStep =
  "The layout of matchers has changed: raise matcherVersion, add a step to matcherMigrations.ts, and run " +
  "`node packages/engine/test/match/storedMatcher.ts`."

/** The version that a planted matcher claims to be of. */
const oldVersion = matcherVersion - 1

/** Bytes of the version before, which had its cash in cents. */
const plantOld = (bytes: Uint8Array): Uint8Array => {
  const old = bytes.slice()
  const view = new DataView(old.buffer)
  view.setInt32(versionAt, oldVersion, true)
  view.setFloat64(cashAt, view.getFloat64(cashAt, true) * 100, true)
  return old
}

const toUnits = (bytes: Uint8Array): Uint8Array => {
  const view = new DataView(bytes.buffer)
  view.setFloat64(cashAt, view.getFloat64(cashAt, true) / 100, true)
  return bytes
}

describe("a stored matcher", () => {
  it("has the bytes of its version", () => {
    assert.include(files, latest, lacksStep)
    const kept = readStored(latest)
    storedNettings.forEach((netting, nth) => {
      const { desk, later: _later, ...rest } = store(netting)
      const { desk: keptDesk, later: _keptLater, ...keptRest } = kept[nth]!
      assert.strictEqual(desk, keptDesk, lacksStep)
      assert.deepStrictEqual(rest, keptRest, lacksStep)
    })
  })

  it.each(files)("goes on to what it did when it was stored: %s", (file) => {
    for (const stored of readStored(file)) {
      assert.deepStrictEqual(laterOf(restore(stored)), stored.later, stored.netting)
    }
  })

  it.each(storedNettings)(
    "holds lots, moved exits, orders of every type and a group: %s",
    (netting) => {
      const account = openStored(netting)
      const orders = [0, 1].flatMap((market) => account.book(market).orders)
      const types = new Set(orders.map(({ type }) => type))
      assert.sameMembers([...types], ["limit", "stop", "stop_limit"])
      assert.lengthOf(account.held(), 2)
      const outcome = makeOutcome()
      const again = SimulatedAccount.restore(account.snapshot())
      again.show([
        { market: 1, time: 4 * 3_600_000, open: 51, high: 53.2, low: 50, close: 52.2, volume: 5 }
      ])
      again.drain(outcome)
      assert.deepInclude(outcome.ended[0], { orderId: "f2-0.more" }, "the group's other order")
    }
  )

  it("of an older version is brought to today's, step by step", () => {
    const { bytes } = openStored("hedging").snapshot()
    const old = plantOld(bytes)
    assert.throws(() => readBlock(old), RangeError, `The matcher is of version ${oldVersion}`)
    const before = old.slice()
    const read = readBlock(old, { [oldVersion]: toUnits })
    assert.deepStrictEqual(new Uint8Array(read.words.buffer), bytes)
    assert.deepStrictEqual(old, before, "the stored bytes stay")
    const older = old.slice()
    new DataView(older.buffer).setInt32(versionAt, oldVersion - 1, true)
    const steps = { [oldVersion - 1]: (same: Uint8Array) => same, [oldVersion]: toUnits }
    assert.deepStrictEqual(new Uint8Array(readBlock(older, steps).words.buffer), bytes)
  })

  it("of a newer version is refused", () => {
    const { bytes } = openStored("hedging").snapshot()
    new DataView(bytes.buffer).setInt32(versionAt, matcherVersion + 1, true)
    assert.throws(
      () => readBlock(bytes),
      RangeError,
      `The matcher is of version ${matcherVersion + 1}`
    )
  })
})
