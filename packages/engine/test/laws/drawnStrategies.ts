/**
 * Strategies over the whole language: plain ones and ladders, half of each.
 */
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { ladderKinds, randomLadder } from "../../src/testing/randomLadder.ts"
import type { NextNumber } from "../../src/testing/randomSeries.ts"
import { randomDefinition, type RandomStrategyOptions } from "../../src/testing/randomStrategy.ts"

/** Draws a plain strategy or a ladder; equal numbers give equal strategies. */
export const drawStrategy = (
  next: NextNumber,
  options: RandomStrategyOptions = {}
): StrategyDefinition =>
  next() < 0.5 ? randomDefinition(next, options) : randomLadder(next, options)

const ownKinds = ladderKinds.filter(
  (kind) => kind !== "grid" && kind !== "rebalance" && kind !== "sides"
)

/**
 * The same strategy without the parts that code can't have: a grid, a weight, and parts of one
 * side.
 */
export const drawRuled = (
  next: NextNumber,
  options: RandomStrategyOptions = {}
): StrategyDefinition =>
  next() < 0.5
    ? randomDefinition(next, options)
    : randomLadder(next, { ...options, kinds: ownKinds })
