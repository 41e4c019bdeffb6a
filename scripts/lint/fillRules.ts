/**
 * A lint rule: whether a price reaches the level of an order stands in `match/fillRules.ts`, and no
 * other file compares the two.
 *
 * The rule sees a comparison that names a candle's open, high or low and a stop, a limit, a target
 * or a liquidation. A search for the first candle beyond a level calls the level something else: a
 * floor or a ceiling, which belong to no order.
 */
import type { Context, Node } from "./Rule.ts"

const prices: ReadonlySet<string> = new Set(["open", "high", "low", "opens", "highs", "lows"])

const level = /^(stop|limit|target|liquidation|ruin)(Loss|Price|Level)?$|^takeProfit$/

const message =
  "Whether a price reaches an order's level stands in match/fillRules.ts: call it, in place of a comparison."

interface Comparison extends Node {
  readonly operator: string
  readonly left: Node
  readonly right: Node
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value

/** The names that an expression is made of, those of functions and of objects included. */
const namesOf = (node: Node): ReadonlyArray<string> => {
  const { name } = node as Node & { readonly name?: unknown }
  const inside = Object.entries(node).flatMap(([key, value]) => {
    if (key === "parent") return []
    const nodes: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    return nodes.filter(isNode).flatMap(namesOf)
  })
  return typeof name === "string" ? [name, ...inside] : inside
}

const orders: ReadonlySet<string> = new Set(["<", "<=", ">", ">="])

const create = (context: Context) => ({
  BinaryExpression: (node: Comparison) => {
    if (!orders.has(node.operator)) return
    const names = [...namesOf(node.left), ...namesOf(node.right)]
    if (names.some((name) => prices.has(name)) && names.some((name) => level.test(name))) {
      context.report({ node, message })
    }
  }
})

export const fillRules = { create }
