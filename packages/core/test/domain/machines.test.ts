/**
 * The state tables: what leads where, and what a caller's command does in each state of a bot.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Graph, Option } from "effect"
import { AttemptMachine } from "../../src/domain/AttemptMachine.ts"
import {
  allowedIn,
  BotMachine,
  type BotStatus,
  botCommands,
  decideCommand
} from "../../src/domain/BotMachine.ts"
import { DeliveryMachine } from "../../src/domain/DeliveryMachine.ts"
import { EndpointMachine } from "../../src/domain/EndpointMachine.ts"
import { openOrderStatuses, OrderMachine } from "../../src/domain/OrderMachine.ts"
import { PaperOrderMachine } from "../../src/domain/PaperOrderMachine.ts"
import { ReplayMachine } from "../../src/domain/ReplayMachine.ts"
import { finishedRunStatuses, RunMachine } from "../../src/domain/RunMachine.ts"
import { SecretMachine } from "../../src/domain/SecretMachine.ts"
import * as StateTable from "../../src/domain/StateTable.ts"
import { StrategyMachine } from "../../src/domain/StrategyMachine.ts"
import { KillSwitchMachine, TradingStateMachine } from "../../src/domain/TradingStateMachine.ts"

/** Where an event may come, and the state that it leads to from there. */
type Law = readonly [event: string, from: ReadonlyArray<string>, to: string]

interface Machine {
  readonly table: StateTable.StateTable<string, string>
  readonly terminal: ReadonlyArray<string>
  /** Event by event, apart from the rows: an event that is not listed for a state is illegal. */
  readonly laws: ReadonlyArray<Law>
}

/** A fibre of its own works for the bot. */
const working = ["starting", "running", "pausing", "paused", "stopping"]
/** Something was sent, and it is not known to rest. */
const unconfirmed = ["submitted", "unknown"]
const resting = ["accepted", "partially_filled"]

const machines: Readonly<Record<string, Machine>> = {
  bot: {
    table: BotMachine,
    terminal: [],
    laws: [
      ["start", ["created", "paused", "stopped", "error"], "starting"],
      ["pause", ["starting", "running"], "pausing"],
      ["stop", ["starting", "running", "pausing", "paused", "error"], "stopping"],
      ["started", ["starting"], "running"],
      ["settled", ["pausing"], "paused"],
      ["settled", ["stopping"], "stopped"],
      ["failed", working, "error"]
    ]
  },
  order: {
    table: OrderMachine,
    terminal: ["rejected"],
    laws: [
      // A stop that is moved or refused is asked for anew.
      ["submit", ["new", "accepted"], "submitted"],
      ["timed_out", ["submitted"], "unknown"],
      ["accepted", unconfirmed, "accepted"],
      ["rejected", [...unconfirmed, "accepted"], "rejected"],
      // Its fills stay: an order that has any was not rejected.
      ["rejected", ["partially_filled"], "cancelled"],
      // An exchange may fill an order before it confirms it.
      ["partially_filled", [...unconfirmed, ...resting], "partially_filled"],
      // A fill may overtake a cancel, and then it counts.
      ["filled", [...unconfirmed, ...resting, "cancelled", "expired"], "filled"],
      ["cancelled", [...unconfirmed, ...resting], "cancelled"],
      ["expired", [...unconfirmed, ...resting], "expired"],
      // The rest of an entry may come after its stop has sold the first part, or was taken back.
      ["reopened", ["filled"], "partially_filled"],
      ["reopened", ["cancelled"], "accepted"]
    ]
  },
  attempt: {
    table: AttemptMachine,
    terminal: ["refused", "absent", "over"],
    laws: [
      ["sent", ["written"], "sending"],
      // Nothing has left, so nothing has to be cancelled.
      ["withdrawn", ["written"], "over"],
      // The connection was refused before the request left.
      ["not_sent", ["sending"], "written"],
      ["refused", ["sending"], "refused"],
      ["lost", ["sending", "working"], "unknown"],
      ["accepted", ["sending", "unknown", "given_up"], "working"],
      ["ended", ["sending", "unknown", "working", "given_up"], "over"],
      // A proof and a limit of time are for attempts whose answer was lost.
      ["absent", ["unknown"], "absent"],
      ["given_up", ["unknown"], "given_up"]
    ]
  },
  "paper order": {
    table: PaperOrderMachine,
    terminal: ["filled", "cancelled", "expired", "rejected"],
    laws: [
      ["filled", ["open"], "filled"],
      ["cancelled", ["open"], "cancelled"],
      ["expired", ["open"], "expired"],
      ["rejected", ["open"], "rejected"]
    ]
  },
  run: {
    table: RunMachine,
    terminal: ["completed", "failed", "cancelled"],
    laws: [
      ["start", ["queued"], "running"],
      ["interrupt", ["running"], "queued"],
      // Work that was over before it heard of the cancel is complete.
      ["complete", ["running", "cancelling"], "completed"],
      ["fail", ["running", "cancelling"], "failed"],
      ["cancel", ["queued"], "cancelled"],
      ["cancel", ["running"], "cancelling"],
      ["settled", ["cancelling"], "cancelled"]
    ]
  },
  strategy: {
    table: StrategyMachine,
    terminal: [],
    laws: [
      ["complete", ["generating"], "ready"],
      ["fail", ["generating"], "failed"],
      ["cancel", ["generating"], "cancelled"],
      // Rules that are written by hand need no generation to have found any.
      ["rewrite", ["ready", "failed", "cancelled"], "ready"]
    ]
  },
  "trading state": {
    table: TradingStateMachine,
    terminal: [],
    laws: [
      // A halt is the harder one: a day's loss does not hide a drawdown.
      ["drawdown", ["none", "daily_loss"], "max_drawdown"],
      ["loss", ["none"], "daily_loss"],
      // The next day mends a day's loss and nothing else.
      ["next_day", ["daily_loss"], "none"],
      // A gate is not opened by hand while the books differ.
      ["resume", ["daily_loss", "max_drawdown"], "none"],
      [
        "mismatch",
        ["none", "daily_loss", "max_drawdown", "reconcile_mismatch"],
        "reconcile_mismatch"
      ],
      ["match", ["reconcile_mismatch"], "none"],
      ["match_after_drawdown", ["reconcile_mismatch"], "max_drawdown"]
    ]
  },
  "kill switch": {
    table: KillSwitchMachine,
    terminal: [],
    laws: [
      ["halt", ["off"], "on"],
      ["resume", ["on"], "off"]
    ]
  },
  endpoint: {
    table: EndpointMachine,
    terminal: [],
    laws: [
      ["falter", ["active"], "failing"],
      ["accepted", ["failing"], "active"],
      ["give_up", ["active", "failing"], "disabled"],
      ["disable", ["active", "failing"], "disabled"],
      // Its owner alone takes it up again, however many deliveries arrive late.
      ["enable", ["failing", "disabled"], "active"]
    ]
  },
  secrets: {
    table: SecretMachine,
    terminal: [],
    laws: [
      // A third secret would cut off receivers that still have the first.
      ["rotate", ["single_secret"], "rotating"],
      // A secret that someone else knows stops at once, in every state.
      ["replace", ["single_secret", "rotating", "activated"], "single_secret"],
      ["activate", ["rotating", "activated"], "activated"],
      ["expire", ["rotating", "activated"], "single_secret"]
    ]
  },
  replay: {
    table: ReplayMachine,
    terminal: ["completed", "partial", "cancelled"],
    laws: [
      ["complete", ["running"], "completed"],
      ["fill", ["running"], "partial"],
      ["cancel", ["running"], "cancelled"]
    ]
  },
  delivery: {
    table: DeliveryMachine,
    terminal: [],
    laws: [
      ["skip", ["pending"], "skipped"],
      ["claim", ["pending", "retrying"], "sending"],
      ["accepted", ["sending"], "succeeded"],
      ["refused", ["sending"], "retrying"],
      ["held_up", ["sending"], "retrying"],
      // An attempt may have reached the receiver: the next one is no first attempt.
      ["lease_expired", ["sending"], "retrying"],
      // Nothing was sent: the next attempt is the first one.
      ["put_back", ["sending"], "pending"],
      ["exhausted", ["sending"], "failed"],
      ["cancel", ["pending", "sending", "retrying"], "cancelled"],
      ["redeliver", ["retrying", "succeeded", "failed", "cancelled", "skipped"], "pending"]
    ]
  }
}

/** The state that the laws of a machine name, or none. */
const lawful = (laws: ReadonlyArray<Law>, state: string, event: string) =>
  Option.fromUndefinedOr(laws.find(([on, from]) => on === event && from.includes(state))?.[2])

describe("state tables", () => {
  it("refuse a move that stands twice", () => {
    assert.throws(
      () =>
        StateTable.make("door", "a", [
          { from: "a", on: "go", to: "b" },
          { from: "a", on: "go", to: "a" }
        ]),
      "a on go stands twice"
    )
  })

  for (const [name, { laws, table, terminal }] of Object.entries(machines)) {
    it(`reach every state of the ${name}`, () => {
      assert.deepStrictEqual([...StateTable.reachable(table)].sort(), [...table.states].sort())
    })

    it(`end the ${name} in exactly the declared states`, () => {
      assert.deepStrictEqual([...StateTable.terminalStates(table)].sort(), [...terminal].sort())
    })

    it(`move the ${name} as its laws say, and refuse every other move`, () => {
      const events = [...new Set(table.transitions.map(({ on }) => on))]
      assert.sameMembers(events, [...new Set(laws.map(([event]) => event))])
      for (const state of table.states) {
        for (const event of events) {
          const wanted = lawful(laws, state, event)
          const move = `${state} on ${event}`
          assert.deepStrictEqual(StateTable.moveIfLegal(table, state, event), wanted, move)
          assert.strictEqual(StateTable.accepts(table, state, event), Option.isSome(wanted), move)
          if (Option.isSome(wanted)) {
            assert.strictEqual(StateTable.move(table, state, event), wanted.value)
          } else {
            assert.throws(
              () => StateTable.move(table, state, event),
              `The table of the ${name} has no row from ${state} on ${event}.`
            )
          }
        }
      }
    })

    it(`draw the ${name}`, () => {
      const drawn = StateTable.toMermaid(table)
      for (const { from, on, to } of table.transitions)
        assert.include(drawn, `${from} --> ${to}: ${on}`)
    })
  }

  it.effect("end a fibre whose move is illegal with a defect, not with a failure", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Effect.sync(() => StateTable.move(RunMachine, "completed", "fail"))
      )
      assert.deepStrictEqual(
        exit,
        Exit.die(new StateTable.IllegalMove({ table: "run", state: "completed", event: "fail" }))
      )
    })
  )

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

/** The effect of a start, a pause and a stop in each state. */
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
