/**
 * State machines as data: rows of (from, on, to). The moves of records, the diagrams of the docs
 * and the checks of stores all come from these rows.
 *
 * A table has a name, one initial state, and at most one row for a state and an event.
 *
 * - `move` follows a row. Where none allows the event, the program has a bug, and `move` dies.
 * - `moveIfLegal` is for events that may rightly come late or twice.
 * - `accepts` and `eventsFrom` ask without moving.
 *
 * A table holds no record, keeps no history and runs no effect. Its host writes the new state.
 *
 * **Example** (A door that can't be opened twice)
 *
 * ```ts
 * import { StateTable } from "@candlewick/core"
 *
 * const door = StateTable.make("door", "shut", [
 *   { from: "shut", on: "open", to: "open" },
 *   { from: "open", on: "close", to: "shut" }
 * ])
 *
 * console.log(StateTable.move(door, "shut", "open"), StateTable.accepts(door, "open", "open"))
 * ```
 *
 * ```text output
 * open false
 * ```
 *
 * @since 0.1.0
 */
import { Data, Graph, Option } from "effect"

/** One legal move. @category models @since 0.1.0 */
export interface Transition<State extends string, Event extends string> {
  readonly from: State
  readonly on: Event
  readonly to: State
}

/** A state machine as data. @category models @since 0.1.0 */
export interface StateTable<State extends string, Event extends string> {
  /** The thing that has the states, as a defect names it. */
  readonly name: string
  readonly initial: State
  readonly states: ReadonlyArray<State>
  readonly transitions: ReadonlyArray<Transition<State, Event>>
}

/**
 * The defect of code that moved a state by an event which no row allows there.
 *
 * @category errors
 * @since 0.1.0
 */
export class IllegalMove extends Data.TaggedError("IllegalMove")<{
  readonly table: string
  readonly state: string
  readonly event: string
}> {
  override get message(): string {
    return `The table of the ${this.table} has no row from ${this.state} on ${this.event}.`
  }
}

/**
 * Makes a state table from its rows; states are listed in the order in which the rows name them.
 *
 * @category tables
 * @since 0.1.0
 */
export const make = <const State extends string, const Event extends string>(
  name: string,
  initial: NoInfer<State>,
  transitions: ReadonlyArray<Transition<State, Event>>
): StateTable<State, Event> => {
  const states = new Set<State>([initial])
  const seen = new Set<string>()
  for (const { from, on, to } of transitions) {
    states.add(from).add(to)
    const move = `${from} on ${on}`
    if (seen.has(move)) throw new Error(`state table: ${move} stands twice`)
    seen.add(move)
  }
  return { name, initial, states: [...states], transitions }
}

/**
 * The state that an event leads to, or none where no row allows it.
 *
 * **When to use**
 *
 * Use where an event may rightly come late or twice, and say there why. Elsewhere use `move`.
 *
 * @category tables
 * @since 0.1.0
 */
export const moveIfLegal = <State extends string, Event extends string>(
  table: StateTable<State, Event>,
  state: State,
  event: Event
): Option.Option<State> => {
  const row = table.transitions.find(({ from, on }) => from === state && on === event)
  return row === undefined ? Option.none() : Option.some(row.to)
}

/**
 * The state that an event leads to; throws `IllegalMove` where no row allows it.
 *
 * @category tables
 * @since 0.1.0
 */
export const move = <State extends string, Event extends string>(
  table: StateTable<State, Event>,
  state: State,
  event: Event
): State =>
  Option.getOrThrowWith(
    moveIfLegal(table, state, event),
    () => new IllegalMove({ table: table.name, state, event })
  )

/** Whether a state accepts an event. @category tables @since 0.1.0 */
export const accepts = <State extends string, Event extends string>(
  table: StateTable<State, Event>,
  state: State,
  event: Event
): boolean => Option.isSome(moveIfLegal(table, state, event))

/** The events that a state accepts, in the order of the rows. @category tables @since 0.1.0 */
export const eventsFrom = <State extends string, Event extends string>(
  table: StateTable<State, Event>,
  state: State
): ReadonlyArray<Event> =>
  table.transitions.filter(({ from }) => from === state).map(({ on }) => on)

/** The states that no event leaves. @category tables @since 0.1.0 */
export const terminalStates = <State extends string, Event extends string>(
  table: StateTable<State, Event>
): ReadonlyArray<State> => table.states.filter((state) => eventsFrom(table, state).length === 0)

/** The states that can be reached from the initial one. @category tables @since 0.1.0 */
export const reachable = <State extends string, Event extends string>(
  table: StateTable<State, Event>
): ReadonlySet<State> => {
  const found = new Set<State>([table.initial])
  for (const state of found) {
    for (const { from, to } of table.transitions) if (from === state) found.add(to)
  }
  return found
}

/** The table as a directed graph whose edges are events. @category tables @since 0.1.0 */
export const toGraph = <State extends string, Event extends string>(
  table: StateTable<State, Event>
): Graph.DirectedGraph<State, Event> =>
  Graph.directed<State, Event>((graph) => {
    const nodes = new Map(table.states.map((state) => [state, Graph.addNode(graph, state)]))
    for (const { from, on, to } of table.transitions) {
      Graph.addEdge(graph, nodes.get(from)!, nodes.get(to)!, on)
    }
  })

/** The table as a Mermaid state diagram. @category tables @since 0.1.0 */
export const toMermaid = <State extends string, Event extends string>(
  table: StateTable<State, Event>
): string =>
  [
    "stateDiagram-v2",
    `  [*] --> ${table.initial}`,
    ...table.transitions.map(({ from, on, to }) => `  ${from} --> ${to}: ${on}`),
    ...terminalStates(table).map((state) => `  ${state} --> [*]`)
  ].join("\n")
