/**
 * Names of strategies, for records that know only their ids.
 */
import { call } from "../api/call.ts"
import { useAsked } from "./ask.ts"

/** What a strategy is called, or the begin of its id where that is not known. */
export type NameOf = (id: string) => string

/** Names of the newest strategies. */
export const useStrategyNames = (): NameOf => {
  const { data } = useAsked(
    (signal) => call("strategies.list", { query: { limit: 100 }, signal }),
    []
  )
  const names = new Map<string, string>(data?.data.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? `${id.slice(0, 12)}…`
}
