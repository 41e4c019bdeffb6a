/**
 * Notes which rows of the state tables the services take. A test file mocks the module of the
 * tables with `recording`, which changes nothing else about them.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type * as RiskGates from "../../packages/engine/src/kernel/riskGateMachine.ts"
import type * as StateTables from "../../packages/core/src/domain/StateTable.ts"

const moves = new Set<string>()

const rowOf = (table: string, from: string, event: string): string =>
  `${table}: ${from} on ${event}`

/** The module of the tables, with every legal move noted. */
export const recording = (tables: typeof StateTables): typeof StateTables => ({
  ...tables,
  move: (table, state, event) => {
    const to = tables.move(table, state, event)
    moves.add(rowOf(table.name, state, event))
    return to
  },
  moveIfLegal: (table, state, event) => {
    const to = tables.moveIfLegal(table, state, event)
    if (Option.isSome(to)) moves.add(rowOf(table.name, state, event))
    return to
  }
})

/** The module of the risk gate's rows, with every move noted. */
export const recordingGate = (gates: typeof RiskGates): typeof RiskGates => ({
  ...gates,
  moveGate: (reason, event) => {
    const to = gates.moveGate(reason, event)
    moves.add(rowOf("trading state", reason, event))
    return to
  }
})

/** A story through the services, and the rows that it must take. */
export interface Story<E = unknown> {
  readonly title: string
  readonly takes: ReadonlyArray<string>
  readonly tell: Effect.Effect<unknown, E>
}

type AnyTable = StateTables.StateTable<string, string>

const rowsOf = ({ name, transitions }: AnyTable): ReadonlyArray<string> =>
  transitions.map(({ from, on }) => rowOf(name, from, on))

/** Tells every story, and holds all of them together to every row of the tables. */
export const tellStories = (
  tables: ReadonlyArray<AnyTable>,
  stories: ReadonlyArray<Story>
): void => {
  for (const { takes, tell, title } of stories) {
    it.live(title, () =>
      Effect.gen(function* () {
        moves.clear()
        yield* tell
        assert.includeMembers([...moves], [...takes])
      })
    )
  }

  it("leaves no row out, and names none that is not there", () => {
    const told = new Set(stories.flatMap(({ takes }) => takes))
    assert.sameMembers([...told], tables.flatMap(rowsOf))
  })
}
