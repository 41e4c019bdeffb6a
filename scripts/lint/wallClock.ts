/**
 * A lint rule: time comes from Effect's `Clock`, and `new Date()` or `Date()` reads the wall's.
 *
 * A date that is made of a number or a text reads no clock.
 */
import type { Context, Node } from "./Rule.ts"

const message = "Time comes from Effect's Clock: give Date the time, in place of nothing."

interface Call extends Node {
  readonly callee: Node & { readonly name?: string }
  readonly arguments: ReadonlyArray<Node>
}

const create = (context: Context) => ({
  NewExpression: (node: Call) => {
    if (node.callee.name === "Date" && node.arguments.length === 0) {
      context.report({ node, message })
    }
  },
  CallExpression: (node: Call) => {
    if (node.callee.name === "Date") context.report({ node, message })
  }
})

export const wallClock = { create }
