/**
 * The desk as TypeScript and as WebAssembly: after each of many drawn deeds both answer the same
 * and are the same bytes.
 */
import { assert, describe, it } from "@effect/vitest"
import { growBlock, makeBlock } from "../../src/match/deskBlock.ts"
import * as codes from "../../src/match/deskCodes.ts"
import * as layout from "../../src/match/deskLayout.ts"
import * as matchOrders from "../../src/match/matchOrders.ts"
import { attachBlock, type DeskBlock } from "../../src/match/memory.ts"
import * as placeOrders from "../../src/match/placeOrders.ts"
import * as settleDesk from "../../src/match/settleDesk.ts"
import type { Random } from "../../src/kernel/random.ts"
import { lazyModule, makeMemory } from "../../src/kernel/vectors/webAssembly.ts"
import { draws } from "../../../../test/draws.ts"
import { builtDesk } from "./builtDesk.ts"
import { drawOrderOptions, drawTickCandles } from "./drawnScripts.ts"

type Functions = typeof matchOrders & typeof placeOrders & typeof settleDesk
type Deed = (functions: Functions, at: number) => number | void

/** Where WebAssembly has its desk; the functions may not mind. */
const place = 4096

const memory = makeMemory(64)
const built = lazyModule(builtDesk)()!(memory) as Functions
const asWritten: Functions = { ...matchOrders, ...placeOrders, ...settleDesk }

const writeCandle = (
  { doubles, words }: DeskBlock,
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
  words[(from + layout.indexAt) >> 2] = index
  words[(from + layout.previousIndexAt) >> 2] = index - 1
}

const drawDeed = (random: Random, market: number, near: number, lastId: number): Deed => {
  const price = Math.round((near + random.normal() * 5) * 2) / 2
  const id = random.pick([0, random.integer(0, lastId)])
  const side = random.pick([1, -1])
  const forms = [0, codes.hasLimit, codes.hasStop, codes.hasLimit | codes.hasStop]
  const flags =
    random.pick(forms) |
    random.pick([0, codes.hasQuantity]) |
    random.pick([0, codes.hasStopLoss]) |
    random.pick([0, codes.hasTakeProfit])
  const size = (flags & codes.hasQuantity) !== 0 ? random.integer(1, 9) : random.pick([0.2, 1])
  const stop = price + random.integer(-3, 3)
  const portion = random.pick([0.5, 1])
  const tag = random.integer(0, 3)
  const life = random.pick([null, 1, 4])
  const kind = (at: number): number => random.integer(0, 2) << at
  const kinds = random.next() < 0.5 ? 0 : [0, 2, 4, 6, 8].reduce((all, at) => all | kind(at), 0)
  switch (random.integer(0, 8)) {
    case 0:
      return (desk, at) => desk.closeLotsNext(at, market, id, portion)
    case 1:
      return (desk, at) => desk.moveStops(at, market, id, price)
    case 2:
      return (desk, at) => desk.moveTargets(at, market, id, price)
    case 3:
      return (desk, at) => desk.dropStops(at, market, id)
    case 4:
      return (desk, at) => desk.cancelEntry(at, market, id)
    case 5:
      return (desk, at) => desk.matchClose(at, market)
    default:
      return (desk, at) => {
        const [loss, gain] = [price - side * 4, price + side * 5]
        const id = desk.placeEntry(at, market, side, flags, size, price, stop, loss, gain, tag)
        if (id <= 0) return id
        if (life !== null) desk.limitLife(at, market, id, life, tag)
        if (kinds !== 0) desk.attachExits(at, market, id, kinds, 0.03, 0.05, 0.02, 0.01, 0.02, 0)
        return id
      }
  }
}

describe("the desk as TypeScript and as WebAssembly", () => {
  it("does the same, byte for byte", () => {
    const seen = { deeds: 0, closings: 0, growths: 0 }
    for (const { random, seed } of draws("both forms of the desk", 200)) {
      const options = drawOrderOptions(random)
      let block = makeBlock(10_000, options, [options, { ...options, leverage: 1 }], {
        orders: 2,
        lots: 1,
        rows: 8
      })
      new Int32Array(memory.buffer).set(block.words, place >> 2)
      const act = (deed: Deed): void => {
        const here = (): Int32Array => new Int32Array(memory.buffer, place, block.words.length)
        const answer = (): number | void => {
          attachBlock(block)
          const one = deed(asWritten, 0)
          assert.strictEqual(deed(built, place), one, seed)
          assert.isTrue(Buffer.compare(bytesOf(here()), bytesOf(block.words)) === 0, seed)
          return one
        }
        while (answer() === codes.full) {
          block = growBlock(block)
          here().set(block.words)
          seen.growths += 1
        }
        seen.deeds += 1
      }
      const all = [drawTickCandles(random, 60), drawTickCandles(random, 60)]
      for (let index = 0; index < 60; index++) {
        for (const [market, candles] of all.entries()) {
          const from = layout.headerBytes + market * layout.marketBytes
          writeCandle(block, from, candles, index)
          new Int32Array(memory.buffer).set(block.words, place >> 2)
          act((desk, at) => desk.matchShown(at, market))
          const near = candles.close[index]!
          while (random.next() < 0.7) {
            act(drawDeed(random, market, near, block.words[layout.lastIdAt >> 2]!))
          }
          const mark = near + 1
          attachBlock(block)
          const worth = asWritten.equityOf(0, market, mark)
          assert.strictEqual(built.equityOf(place, market, mark), worth, seed)
        }
        seen.closings += block.words[layout.logCountAt >> 2]!
        block.words[layout.logCountAt >> 2] = 0
        new Int32Array(memory.buffer).set(block.words, place >> 2)
      }
      act((desk, at) => desk.closeAllLots(at, 0, codes.byEndOfData))
      act((desk, at) => desk.ruin(at))
    }
    assert.isAbove(seen.closings, 100)
    assert.isAbove(seen.growths, 10)
    assert.isAbove(seen.deeds, 1000)
  })
})

const bytesOf = (words: Int32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
