/**
 * A matcher in both of its forms, TypeScript and WebAssembly. Each operation runs on both, and both
 * have to answer the same and to be the same bytes.
 */
import { assert } from "@effect/vitest"
import { growBlock } from "../../src/match/matcherBlock.ts"
import * as codes from "../../src/match/matcherCodes.ts"
import * as directOrders from "../../src/match/directOrders.ts"
import * as marketFills from "../../src/match/marketFills.ts"
import * as matchOrders from "../../src/match/matchOrders.ts"
import * as matchStages from "../../src/match/matchStages.ts"
import { attachBlock, type MatcherBlock } from "../../src/match/memory.ts"
import * as placeOrders from "../../src/match/placeOrders.ts"
import * as reachRules from "../../src/match/reachRules.ts"
import * as quietCandle from "../../src/match/quietCandle.ts"
import * as settleMatcher from "../../src/match/settleMatcher.ts"
import * as stageOrders from "../../src/match/stageOrders.ts"
import { lazyModule, makeMemory } from "../../src/kernel/vectors/webAssembly.ts"
import { builtMatcher } from "./builtMatcher.ts"

export type MatcherFunctions = typeof marketFills &
  typeof matchOrders &
  typeof placeOrders &
  typeof settleMatcher &
  typeof matchStages &
  typeof quietCandle &
  typeof directOrders &
  typeof reachRules &
  typeof stageOrders

/** Something that is done to a matcher. */
export type FormDeed = (functions: MatcherFunctions, at: number) => number | void

/** Where WebAssembly has its matcher; the functions may not mind. */
const place = 4096

const memory = makeMemory(64)
const built = lazyModule(builtMatcher)()!(memory) as MatcherFunctions
const asWritten: MatcherFunctions = {
  ...marketFills,
  ...matchOrders,
  ...placeOrders,
  ...settleMatcher,
  ...matchStages,
  ...quietCandle,
  ...directOrders,
  ...reachRules,
  ...stageOrders
}

const bytesOf = (words: Int32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength)

/** Both forms of a matcher. */
export class MatcherForms {
  block: MatcherBlock
  readonly seed: string
  readonly seen = { operations: 0, growths: 0 }

  constructor(block: MatcherBlock, seed: string) {
    this.block = block
    this.seed = seed
    this.write(() => {})
  }

  /** Has the host write into the block. */
  write(put: (block: MatcherBlock) => void): void {
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
    this.seen.operations += 1
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
