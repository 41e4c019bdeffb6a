/**
 * The matcher as TypeScript and as WebAssembly: after each of many drawn operations both answer the
 * same and are the same bytes.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeBlock } from "../../src/match/matcherBlock.ts"
import * as codes from "../../src/match/matcherCodes.ts"
import * as layout from "../../src/match/matcherLayout.ts"
import type { MatcherBlock } from "../../src/match/memory.ts"
import * as stage from "../../src/match/stageLayout.ts"
import type { Random } from "../../src/kernel/random.ts"
import { draws } from "../../../../test/draws.ts"
import { type FormDeed, MatcherForms } from "./matcherForms.ts"
import { drawOrderOptions, drawTickCandles } from "./drawnScripts.ts"
import { drawSpec } from "./drawnStages.ts"

const writeCandle = (
  { doubles, words }: MatcherBlock,
  from: number,
  candles: ReturnType<typeof drawTickCandles>,
  index: number
): void => {
  const double = (at: number, value: number): void => {
    doubles[(from + at) >> 3] = value
  }
  double(layout.previousCloseAt, candles.close[index - 1] ?? 0)
  double(layout.previousTimeAt, candles.time[index - 1] ?? 0)
  double(layout.timeAt, candles.time[index]!)
  double(layout.openAt, candles.open[index]!)
  double(layout.highAt, candles.high[index]!)
  double(layout.lowAt, candles.low[index]!)
  double(layout.closeAt, candles.close[index]!)
  words[(from + layout.candleIndexAt) >> 2] = index
  words[(from + layout.previousIndexAt) >> 2] = index - 1
}

const drawDeed = (
  random: Random,
  market: number,
  near: number,
  lastId: number,
  byStage = false
): FormDeed => {
  const price = Math.round((near + random.normal() * 5) * 2) / 2
  const id = random.pick([0, random.integer(0, lastId)])
  const side = random.pick([1, -1])
  const forms = [0, codes.hasLimit, codes.hasStop, codes.hasLimit | codes.hasStop]
  const flags =
    random.pick(forms) |
    random.pick([0, codes.hasQuantity]) |
    random.pick([0, codes.hasStopLoss]) |
    random.pick([0, codes.hasTakeProfit]) |
    (byStage ? random.pick([0, 0, codes.endsWithPosition, codes.isImmediate]) : 0)
  const size = (flags & codes.hasQuantity) !== 0 ? random.integer(1, 9) : random.pick([0.2, 1])
  const stop = price + random.integer(-3, 3)
  const portion = random.pick([0.5, 1])
  const tag = random.integer(0, 3)
  const life = random.pick([null, 1, 4])
  const kind = (at: number): number => random.integer(0, 2) << at
  const kinds = random.next() < 0.5 ? 0 : [0, 2, 4, 6, 8].reduce((all, at) => all | kind(at), 0)
  switch (random.integer(0, 8)) {
    case 0:
      return (matcher, at) => matcher.closeLotsNext(at, market, id, portion)
    case 1:
      return (matcher, at) => matcher.moveStops(at, market, id, price)
    case 2:
      return (matcher, at) => matcher.moveTargets(at, market, id, price)
    case 3:
      return (matcher, at) => matcher.dropStops(at, market, id)
    case 4:
      return (matcher, at) => matcher.cancelEntry(at, market, id)
    case 5:
      return (matcher, at) => matcher.matchClose(at, market, 1)
    default:
      return (matcher, at) => {
        const [loss, gain] = [price - side * 4, price + side * 5]
        const id = matcher.placeEntry(at, market, side, flags, size, price, stop, loss, gain, tag)
        if (id <= 0) return id
        if (life !== null) matcher.limitLife(at, market, id, life, tag)
        if (kinds !== 0) matcher.attachExits(at, market, id, kinds, 0.03, 0.05, 0.02, 0.01, 0.02, 0)
        return id
      }
  }
}

const seenNothing = { operations: 0, growths: 0, rows: 0 }

/** Adds what was seen of a matcher, and drains its log. */
const drain = (forms: MatcherForms, seen: typeof seenNothing): void =>
  forms.write(({ words }) => {
    seen.rows += words[layout.logCountAt >> 2]!
    words[layout.logCountAt >> 2] = 0
  })

const drawStageDeed = (random: Random, market: number, lastId: number): FormDeed => {
  const id = random.integer(1, Math.max(1, lastId))
  const side = random.pick([1, -1])
  const quantity = random.integer(1, 4)
  const flags =
    random.pick([0, codes.hasLimit, codes.hasStop, codes.hasLimit | codes.isImmediate]) |
    random.pick([0, codes.endsWithPosition])
  const lotId = random.pick([0, 0, id])
  const until = random.integer(0, 60) * 60_000
  switch (random.integer(0, 3)) {
    case 0:
      return (matcher, at) => matcher.withdraw(at, market, id)
    case 1:
      return (matcher, at) => matcher.limitTime(at, market, id, until)
    default:
      return (matcher, at) =>
        matcher.placeExit(at, market, side, flags, quantity, 90, 110, codes.byTimeLimit, lotId, 2)
  }
}

/** Writes what the stages need of a candle beside its prices. */
const writeStage = (
  { doubles, words }: MatcherBlock,
  from: number,
  random: Random,
  { high, low, open }: ReturnType<typeof drawTickCandles>,
  index: number
): void => {
  words[(from + stage.isShownAt) >> 2] = random.next() < 0.9 ? 1 : 0
  words[(from + stage.detailStateAt) >> 2] = random.pick([codes.noDetail, codes.detailIsLaid])
  doubles[(from + stage.volumeAt) >> 3] = random.pick([Number.NaN, 0, 5, 100])
  const first = words[stage.detailsAt >> 2]!
  words[stage.detailCountAt >> 2] = 1
  doubles[(first + stage.detailOpenAt) >> 3] = open[index]!
  doubles[(first + stage.detailHighAt) >> 3] = high[index]!
  doubles[(first + stage.detailLowAt) >> 3] = low[index]!
}

describe("the matcher as TypeScript and as WebAssembly", () => {
  it("does the same, byte for byte", () => {
    const seen = { ...seenNothing }
    for (const { random, seed } of draws("both forms of the matcher", 200)) {
      const options = drawOrderOptions(random)
      const room = { orders: 2, lots: 1, rows: 8 }
      const markets = [options, { ...options, leverage: 1 }]
      const forms = new MatcherForms(makeBlock(10_000, options, markets, room), seed)
      const all = [drawTickCandles(random, 60), drawTickCandles(random, 60)]
      for (let index = 0; index < 60; index++) {
        for (const [market, candles] of all.entries()) {
          const from = layout.headerBytes + market * layout.marketBytes
          forms.write((block) => writeCandle(block, from, candles, index))
          forms.act((matcher, at) => matcher.matchShown(at, market))
          const near = candles.close[index]!
          while (random.next() < 0.7) {
            const lastId = forms.block.words[layout.lastIdAt >> 2]!
            forms.act(drawDeed(random, market, near, lastId))
          }
          forms.ask((matcher, at) => matcher.equityNow(at))
        }
        drain(forms, seen)
      }
      forms.act((matcher, at) => matcher.closeAllLots(at, 0, codes.byEndOfData))
      forms.act((matcher, at) => matcher.ruin(at))
      seen.operations += forms.seen.operations
      seen.growths += forms.seen.growths
    }
    assert.isAbove(seen.rows, 100)
    assert.isAbove(seen.growths, 10)
    assert.isAbove(seen.operations, 1000)
  })

  it("goes by stages alike, byte for byte", () => {
    const seen = { ...seenNothing }
    for (const { random, seed } of draws("both forms of stages", 200)) {
      const rules = {
        ...drawOrderOptions(random),
        sequence: "stage",
        netting: random.pick(["single", "hedging", "fifo", "average"] as const),
        stopLimitGap: random.pick(["open", "stop", "wait"] as const)
      } as const
      const markets = [drawSpec(random), drawSpec(random)].map((spec) => ({
        ...spec,
        entrySpread: 0.001
      }))
      const room = { orders: 2, lots: 1, rows: 8, details: 1 }
      const forms = new MatcherForms(makeBlock(2_000, rules, markets, room), seed)
      const all = [drawTickCandles(random, 60), drawTickCandles(random, 60)]
      for (let index = 0; index < 60; index++) {
        for (const [market, candles] of all.entries()) {
          const from = layout.headerBytes + market * layout.marketBytes
          forms.write((block) => {
            writeCandle(block, from, candles, index)
            writeStage(block, from, random, candles, index)
          })
        }
        for (const market of [0, 1]) forms.ask((matcher, at) => matcher.isQuiet(at, market))
        forms.act((matcher, at) => matcher.matchOpens(at))
        for (const market of [0, 1]) forms.act((matcher, at) => matcher.matchInside(at, market))
        forms.act((matcher, at) => matcher.endStages(at))
        // A market that sees no candle may be told that it is over.
        forms.act((matcher, at) => matcher.endQuiet(at, 1))
        forms.ask((matcher, at) => matcher.equityNow(at))
        forms.ask((matcher, at) => matcher.committedNotional(at, 0))
        for (const [market, { close }] of all.entries()) {
          while (random.next() < 0.6) {
            const lastId = forms.block.words[layout.lastIdAt >> 2]!
            const isStage = random.next() < 0.4
            forms.act(
              isStage
                ? drawStageDeed(random, market, lastId)
                : drawDeed(random, market, close[index]!, lastId, true)
            )
          }
        }
        drain(forms, seen)
      }
      seen.operations += forms.seen.operations
      seen.growths += forms.seen.growths
    }
    assert.isAbove(seen.rows, 100)
    assert.isAbove(seen.growths, 10)
    assert.isAbove(seen.operations, 1000)
  })
})
