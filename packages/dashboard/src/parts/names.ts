/**
 * Names of strategies and bots, for records that know only their ids.
 */
import { call } from "../api/call.ts"
import { useAsked } from "./ask.ts"

/** The name of a record, or the beginning of its id where that is not known. */
export type NameOf = (id: string) => string

interface Named {
  readonly id: string
  readonly name: string
}

const useNames = (
  list: (signal: AbortSignal) => Promise<{ readonly data: ReadonlyArray<Named> }>
) => {
  const { data } = useAsked(list, [])
  const names = new Map<string, string>(data?.data.map(({ id, name }) => [id, name]))
  return (id: string): string => names.get(id) ?? `${id.slice(0, 12)}…`
}

/** Names of the newest strategies. */
export const useStrategyNames = (): NameOf =>
  useNames((signal) => call("strategies.list", { query: { limit: 100 }, signal }))

/** Names of the newest bots. */
export const useBotNames = (): NameOf =>
  useNames((signal) => call("bots.list", { query: { limit: 100 }, signal }))
