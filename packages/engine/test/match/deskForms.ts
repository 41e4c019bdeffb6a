/**
 * A desk in both of its forms, TypeScript and WebAssembly: each deed is done to both, and both have
 * to answer the same and to be the same bytes.
 */
import { assert } from "@effect/vitest"
import { growBlock } from "../../src/match/deskBlock.ts"
import * as codes from "../../src/match/deskCodes.ts"
import * as directOrders from "../../src/match/directOrders.ts"
import * as marketFills from "../../src/match/marketFills.ts"
import * as matchOrders from "../../src/match/matchOrders.ts"
import * as matchStages from "../../src/match/matchStages.ts"
import { attachBlock, type DeskBlock } from "../../src/match/memory.ts"
import * as placeOrders from "../../src/match/placeOrders.ts"
import * as reachRules from "../../src/match/reachRules.ts"
import * as quietCandle from "../../src/match/quietCandle.ts"
import * as settleDesk from "../../src/match/settleDesk.ts"
import * as stageOrders from "../../src/match/stageOrders.ts"
import { lazyModule, makeMemory } from "../../src/kernel/vectors/webAssembly.ts"
import { builtDesk } from "./builtDesk.ts"

export type DeskFunctions = typeof marketFills &
  typeof matchOrders &
  typeof placeOrders &
  typeof settleDesk &
  typeof matchStages &
  typeof quietCandle &
  typeof directOrders &
  typeof reachRules &
  typeof stageOrders

/** Something that is done to a desk. */
export type FormDeed = (functions: DeskFunctions, at: number) => number | void

/** Where WebAssembly has its desk; the functions may not mind. */
const place = 4096

const memory = makeMemory(64)
const built = lazyModule(builtDesk)()!(memory) as DeskFunctions
const asWritten: DeskFunctions = {
  ...marketFills,
  ...matchOrders,
  ...placeOrders,
  ...settleDesk,
  ...matchStages,
  ...quietCandle,
  ...directOrders,
  ...reachRules,
  ...stageOrders
}

const bytesOf = (words: Int32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength)

/** Both forms of a desk. */
export class DeskForms {
  block: DeskBlock
  readonly seed: string
  readonly seen = { deeds: 0, growths: 0 }

  constructor(block: DeskBlock, seed: string) {
    this.block = block
    this.seed = seed
    this.write(() => {})
  }

  /** Has the host write into the block. */
  write(put: (block: DeskBlock) => void): void {
    put(this.block)
    this.#other().set(this.block.words)
  }

  #other(): Int32Array {
    return new Int32Array(memory.buffer, place, this.block.words.length)
  }

  /** Does a deed to both, and once more wherever they have too little room. */
  act(deed: FormDeed): void {
    while (this.#answer(deed) === codes.full) {
      this.block = growBlock(this.block)
      this.write(() => {})
      this.seen.growths += 1
    }
    this.seen.deeds += 1
  }

  /** Asks both for a number, which may be any. */
  ask(deed: FormDeed): void {
    this.#answer(deed)
  }

  #answer(deed: FormDeed): number | void {
    attachBlock(this.block)
    const one = deed(asWritten, 0)
    assert.strictEqual(deed(built, place), one, this.seed)
    const isSame = Buffer.compare(bytesOf(this.#other()), bytesOf(this.block.words)) === 0
    assert.isTrue(isSame, this.seed)
    return one
  }
}
