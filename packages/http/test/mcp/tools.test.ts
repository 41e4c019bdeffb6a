/** The texts that models read: the list of tools, and answers that are cut. */
import { decodeStrategy } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { answerMaxCount, bounded } from "../../src/mcp/bounded.ts"
import { toolRows } from "../../src/mcp/registrations.ts"
import { strategyGuide } from "../../src/mcp/resources.ts"

describe("the tools of agents", () => {
  it("stand on their page, each with its name", () => {
    const page = readFileSync(new URL("../../../../docs/agents.md", import.meta.url), "utf8")
    const table = page.slice(page.indexOf("| tool |"), page.indexOf("Resources:"))
    const named = [...table.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name)
    assert.sameMembers(
      named,
      toolRows.map(({ name }) => name)
    )
  })

  it("are named once, and each says what it does", () => {
    const names = toolRows.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    for (const { description } of toolRows) assert.match(description, /\.$/)
  })

  it("come with an example of a strategy that the server takes", () => {
    const [, example = ""] = /\n(\{\n[^]*?\n\})\n/.exec(strategyGuide) ?? []
    const decoded = decodeStrategy(JSON.parse(example))
    assert.isTrue(Result.isSuccess(decoded), JSON.stringify(decoded))
  })
})

describe("an answer to a model", () => {
  it("is left as it is where it is short", () => {
    const answer = { id: "bt_1", metrics: { sharpe: 1.1 }, warnings: [] }
    assert.deepStrictEqual(bounded(answer), answer)
  })

  it("has no curve, and says how much of a list and of a text is left out", () => {
    const points = Array.from({ length: 1_000 }, (_, index) => ({ time: index, equity: 1 }))
    const answer = bounded({ equity_curve: points, data: points, note: "x".repeat(5_000) })
    assert.strictEqual(answer["equity_curve"], "(1000 points left out)")
    const data = answer["data"] as ReadonlyArray<unknown>
    assert.strictEqual(data.at(-1), "(950 more of 1000 left out)")
    assert.match(JSON.stringify(answer["note"]), /^"x{2000}… \(5000 characters in all\)"$/)
  })

  it("is never longer than a model takes", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `field ${index}`,
        Array.from({ length: 200 }, () => "y".repeat(3_000))
      ])
    )
    assert.isAtMost(JSON.stringify(bounded({ wide })).length, answerMaxCount)
    assert.isAtMost(JSON.stringify(bounded(wide)).length, answerMaxCount)
  })
})
