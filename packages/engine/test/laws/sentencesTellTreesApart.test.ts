/**
 * Two strategies that mean different things are told in different sentences.
 *
 * Settings that are left out are told as their defaults, and a group of one rule as that rule, for
 * they mean the same.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Rule, Series } from "../../src/language/Rule.ts"
import { describeRule, describeSeries } from "../../src/language/describeExpression.ts"

const close: Series = { type: "price", field: "close" }
const open: Series = { type: "price", field: "open" }

const pairsOf = <A>(parts: ReadonlyArray<A>): ReadonlyArray<readonly [A, A]> =>
  parts.flatMap((left) => parts.map((right) => [left, right] as const))

/** The series themselves, and every series that has one or two of them as its parts. */
const seriesOver = (parts: ReadonlyArray<Series>): ReadonlyArray<Series> => [
  ...parts,
  ...parts.flatMap((of): ReadonlyArray<Series> => [
    { type: "abs", of },
    { type: "shift", of, by: 2 },
    { type: "highest", of, period: 2 },
    { type: "stdev", of, period: 2 },
    { type: "percentile", of, period: 2, rank: 0.5 },
    { type: "timeframe", of, timeframe: "4h" },
    { type: "sma", source: of, period: 2 },
    { type: "bollinger", source: of, output: "upper" }
  ]),
  ...pairsOf(parts).flatMap(([left, right]) =>
    (["add", "sub", "mul", "div", "min", "max"] as const).map((type) => ({ type, left, right }))
  )
]

const rulesOver = (parts: ReadonlyArray<Rule>): ReadonlyArray<Rule> => [
  ...parts,
  ...parts.flatMap((rule): ReadonlyArray<Rule> => [
    { type: "not", rule },
    { type: "true_for", rule, for: 2 }
  ]),
  ...pairsOf(parts).flatMap(([one, other]) =>
    (["all", "any"] as const).map((type) => ({ type, rules: [one, other] }))
  )
]

const assertApart = <A>(trees: ReadonlyArray<A>, describe: (tree: A) => string): void => {
  const treeBySentence = new Map<string, string>()
  for (const tree of trees) {
    const sentence = describe(tree)
    const text = JSON.stringify(tree)
    const before = treeBySentence.get(sentence) ?? text
    if (before !== text) assert.fail(`"${sentence}" tells ${before} and ${text}`)
    treeBySentence.set(sentence, text)
  }
}

const rule = (tree: Rule): string => describeRule(tree, String)
const above = (left: Series, right: Series): Rule => ({ type: "above", left, right })
const [a, b]: readonly [Rule, Rule] = [above(close, open), above(open, close)]

describe("sentences", () => {
  it("tell every two series apart", () => {
    assertApart(seriesOver(seriesOver([close, open])), (tree) => describeSeries(tree, String))
  })

  it("tell every two rules apart", () => {
    const grouped: Rule = { type: "all", rules: [a, b, { type: "any", rules: [a, b] }] }
    assertApart([...rulesOver(rulesOver([a, b])), grouped], rule)
    const parts = seriesOver([close, open])
    assertApart(
      [
        ...pairsOf(parts).map(([left, right]) => above(left, right)),
        ...pairsOf(parts).map(([low, high]): Rule => ({ type: "between", of: close, low, high })),
        ...parts.map((of): Rule => ({ type: "rising", of, for: 2 })),
        ...parts.map((of): Rule => ({ type: "true_for", rule: above(of, close), for: 2 }))
      ],
      rule
    )
  })

  it("bracket what a negation or a duration is of", () => {
    const both: Rule = { type: "all", rules: [a, b] }
    const text = "the close is above the open and the open is above the close"
    assert.strictEqual(rule({ type: "not", rule: both }), `it is not so that (${text})`)
    assert.strictEqual(rule({ type: "true_for", rule: both, for: 3 }), `for 3 candles (${text})`)
    assert.strictEqual(
      rule({ type: "all", rules: [{ type: "not", rule: a }, b] }),
      "(it is not so that the close is above the open) and the open is above the close"
    )
  })

  it("see through groups of one rule", () => {
    const either: Rule = { type: "any", rules: [a, b] }
    const one: Rule = { type: "all", rules: [either] }
    assert.strictEqual(
      rule({ type: "all", rules: [one, a] }),
      rule({ type: "all", rules: [either, a] })
    )
  })
})
