/**
 * The state tables: what leads where, and what a caller's command does in each state of a bot.
 */
import { assert, describe, it } from "@effect/vitest"
import { Graph, Option } from "effect"
import {
  allowedIn,
  BotMachine,
  type BotStatus,
  botCommands,
  decideCommand
} from "../../src/domain/BotMachine.ts"
import { DeliveryMachine } from "../../src/domain/DeliveryMachine.ts"
import { openOrderStatuses, OrderMachine } from "../../src/domain/OrderMachine.ts"
import { finishedRunStatuses, RunMachine } from "../../src/domain/RunMachine.ts"
import * as StateTable from "../../src/domain/StateTable.ts"

interface Machine {
  readonly table: StateTable.StateTable<string, string>
  readonly terminal: ReadonlyArray<string>
}

const machines: Readonly<Record<string, Machine>> = {
  bot: { table: BotMachine, terminal: [] },
  order: { table: OrderMachine, terminal: ["rejected", "filled", "expired"] },
  run: { table: RunMachine, terminal: ["completed", "failed", "cancelled"] },
  delivery: { table: DeliveryMachine, terminal: [] }
}

describe("state tables", () => {
  it("refuse a move that stands twice", () => {
    assert.throws(
      () =>
        StateTable.make("a", [
          { from: "a", on: "go", to: "b" },
          { from: "a", on: "go", to: "a" }
        ]),
      "a on go stands twice"
    )
  })

  for (const [name, { table, terminal }] of Object.entries(machines)) {
    it(`reach every state of the ${name}`, () => {
      assert.deepStrictEqual([...StateTable.reachable(table)].sort(), [...table.states].sort())
    })

    it(`end the ${name} in exactly the declared states`, () => {
      assert.deepStrictEqual([...StateTable.terminalStates(table)].sort(), [...terminal].sort())
    })

    it(`move the ${name} by its rows and by nothing else`, () => {
      const events = new Set(table.transitions.map(({ on }) => on))
      for (const state of table.states) {
        for (const event of events) {
          const row = table.transitions.find(({ from, on }) => from === state && on === event)
          assert.deepStrictEqual(
            StateTable.next(table, state, event),
            row === undefined ? Option.none() : Option.some(row.to)
          )
        }
      }
    })

    it(`draw the ${name}`, () => {
      const drawn = StateTable.toMermaid(table)
      for (const { from, on, to } of table.transitions)
        assert.include(drawn, `${from} --> ${to}: ${on}`)
    })
  }

  it("draw a table as a graph with an edge for each row", () => {
    const graph = StateTable.toGraph(BotMachine)
    assert.strictEqual(Graph.nodeCount(graph), BotMachine.states.length)
    assert.strictEqual(Graph.edgeCount(graph), BotMachine.transitions.length)
  })

  it("count an order as open until it is over", () => {
    const over = ["filled", "cancelled", "rejected", "expired"]
    assert.deepStrictEqual(
      [...openOrderStatuses].sort(),
      OrderMachine.states.filter((state) => !over.includes(state)).sort()
    )
  })

  it("count a run as finished where no event leads on", () => {
    assert.deepStrictEqual([...finishedRunStatuses].sort(), [...machines["run"]!.terminal].sort())
  })
})

type Answer = "fulfilled" | "refused" | BotStatus

/** What a start, a pause and a stop do in each state. */
const answers: Readonly<Record<BotStatus, readonly [Answer, Answer, Answer]>> = {
  created: ["starting", "refused", "fulfilled"],
  starting: ["fulfilled", "pausing", "stopping"],
  running: ["fulfilled", "pausing", "stopping"],
  pausing: ["refused", "fulfilled", "stopping"],
  paused: ["starting", "fulfilled", "stopping"],
  stopping: ["refused", "refused", "fulfilled"],
  stopped: ["starting", "refused", "fulfilled"],
  error: ["starting", "refused", "stopping"]
}

describe("a bot's commands", () => {
  for (const status of BotMachine.states) {
    for (const [index, command] of botCommands.entries()) {
      const wanted = answers[status][index]!
      it(`${command} on ${status}: ${wanted}`, () => {
        const decided = decideCommand(status, command)
        assert.strictEqual(decided.outcome === "moves" ? decided.to : decided.outcome, wanted)
        assert.strictEqual(allowedIn(status).includes(command), wanted !== "refused")
        if (decided.outcome === "refused") {
          assert.deepStrictEqual(decided.allowed, allowedIn(status))
        }
      })
    }

    it(`delete on ${status}: ${["created", "stopped", "error"].includes(status) ? "allowed" : "refused"}`, () => {
      assert.strictEqual(
        allowedIn(status).includes("delete"),
        ["created", "stopped", "error"].includes(status)
      )
    })
  }
})
